/** What this person's role allows. The API decides; here the reason is said before the click (backend api/access.py). */
import { useI18n } from 'vue-i18n'
import type { Role } from '@/api'
import { useSession } from './session'

const RANK: Record<Role, number> = { metrics: 0, viewer: 1, operator: 2, administrator: 3 }
/** What a person can be; a token can also be for metrics alone. */
export type PersonRole = Exclude<Role, 'metrics'>

export function useCan() {
  const { t } = useI18n()
  const session = useSession()
  const has = (needed: Role): boolean => RANK[session.role ?? 'viewer'] >= RANK[needed]

  return {
    has,
    /** Why a button of this role is not for this person; undefined when it is. */
    reason: (needed: Role): string | undefined =>
      has(needed) ? undefined : t('app.needsRole', { role: t(`roles.${needed}`) }),
  }
}
