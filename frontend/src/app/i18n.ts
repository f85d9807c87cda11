import { createI18n } from 'vue-i18n'
import en from './locales/en.json'

type Messages = typeof en

export function makeI18n() {
  return createI18n<[Messages], 'en', false>({ legacy: false, locale: 'en', messages: { en } })
}
