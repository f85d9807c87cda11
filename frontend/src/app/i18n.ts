import { createI18n } from 'vue-i18n'
import api from '@/api/texts.gen.json'
import en from './locales/en.json'

const messages = { ...en, api }
type Messages = typeof messages

export function makeI18n() {
  return createI18n<[Messages], 'en', false>({ legacy: false, locale: 'en', messages: { en: messages } })
}
