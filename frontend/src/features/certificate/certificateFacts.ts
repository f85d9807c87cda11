/** A certificate as terms and values. */
import type { Composer } from 'vue-i18n'
import type { CertificateFacts } from '@/api'

export const WARN_DAYS = 30
const DAY_MS = 86_400_000

export const daysLeft = ({ not_after }: CertificateFacts): number =>
  Math.floor((Date.parse(not_after) - Date.now()) / DAY_MS)

/** Times are those of the certificate, in UTC. */
const day = (moment: string): string => `${moment.slice(0, 16).replace('T', ' ')} UTC`

export const factsOf = (one: CertificateFacts, t: Composer['t']) => [
  { term: t('certificate.fingerprint'), value: one.fingerprint, isCode: true },
  { term: t('certificate.names'), value: one.names.join('\n') || '—', isCode: true },
  { term: t('certificate.subject'), value: one.subject || '—' },
  { term: t('certificate.issuer'), value: one.self_signed ? t('certificate.self') : one.issuer },
  { term: t('certificate.chain'), value: t('certificate.chained', one.chain) },
  { term: t('certificate.since'), value: day(one.not_before) },
  { term: t('certificate.until'), value: day(one.not_after) },
]
