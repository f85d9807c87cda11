import { createI18n } from 'vue-i18n'
import api from '@/api/texts.gen.json'

interface Texts {
  [key: string]: string | Texts
}

/** Each folder has its texts in its en.json, under keys that no other folder has. All of them are in the first chunk. */
const own = Object.values(import.meta.glob<Texts>('../**/en.json', { import: 'default', eager: true }))
const messages: Texts = Object.assign({}, ...own, { api })

export function makeI18n() {
  return createI18n<false>({ legacy: false, locale: 'en', messages: { en: messages } })
}
