import { defineConfigWithVueTs, vueTsConfigs } from '@vue/eslint-config-typescript'
import prettier from 'eslint-config-prettier/flat'
import vue from 'eslint-plugin-vue'
import a11y from 'eslint-plugin-vuejs-accessibility'

/** The made-up appliance must never reach a user. */
const MOCK = ['**/mock/*', '**/mock']

/** Files of a folder of src/ import nothing from these other folders of src/. Only the last such rule of a file counts. */
const without = (files, folders) => ({
  files: [`src/${files}`],
  ignores: ['src/**/*.spec.ts'],
  rules: {
    'no-restricted-imports': ['error', { patterns: [...folders.map((folder) => `@/${folder}/**`), ...MOCK] }],
  },
})

export default defineConfigWithVueTs(
  { ignores: ['dist', 'public', 'src/api', 'test-results', 'playwright-report'] },
  vue.configs['flat/recommended'],
  a11y.configs['flat/recommended'],
  vueTsConfigs.strict,
  prettier,
  {
    rules: {
      // A view a person can hold in the head.
      'max-lines': ['error', { max: 250 }],
      // The UI's labels are associated by Nuxt UI's form field, which the rule cannot see.
      'vuejs-accessibility/label-has-for': 'off',
    },
  },
  without('**', []),
  without('features/**', ['app']),
  without('lists/**', ['app', 'features']),
  // The dialog of a change follows the job of the change, which is in features/jobs.
  without('changes/**', ['app', 'lists']),
  without('session/**', ['app', 'features', 'lists', 'changes']),
  without('server/**', ['app', 'features', 'lists', 'changes', 'session']),
  without('ui/**', ['app', 'features', 'lists', 'changes', 'server', 'session']),
)
