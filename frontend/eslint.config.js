import { defineConfigWithVueTs, vueTsConfigs } from '@vue/eslint-config-typescript'
import prettier from 'eslint-config-prettier/flat'
import vue from 'eslint-plugin-vue'
import a11y from 'eslint-plugin-vuejs-accessibility'

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
  {
    // ui/ is the part every feature builds on; it knows none of them.
    files: ['src/ui/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: ['@/features/*', '@/app/*', '../features/*'] }] },
  },
  {
    // The mock world must never reach a user.
    files: ['src/**'],
    ignores: ['src/**/*.spec.ts'],
    rules: {
      'no-restricted-imports': ['error', { patterns: ['**/mock/*', '**/mock'] }],
    },
  },
)
