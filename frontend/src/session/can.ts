/**
 * What this person can do now. The API decides what the role allows; here the reason is said before the click
 * (backend api/access.py), and that nothing can be done while the appliance does not answer.
 */
import { useI18n } from 'vue-i18n'
import type { Role } from '@/api'
import { useConnection } from '@/server/connection'
import { useSession } from './session'

const RANK: Record<Role, number> = { metrics: 0, viewer: 1, operator: 2, administrator: 3 }
/** The roles of users; a token can also be for metrics only. */
export type PersonRole = Exclude<Role, 'metrics'>

export function useCan() {
  const { t } = useI18n()
  const session = useSession()
  const connection = useConnection()
  const has = (needed: Role): boolean => RANK[session.role ?? 'viewer'] >= RANK[needed]
  /** Why a button of this role does nothing for this person now; undefined when it does. */
  function reason(needed: Role): string | undefined {
    if (!has(needed)) return t('app.needsRole', { role: t(`roles.${needed}`) })
    return connection.isLost ? t('app.needsConnection') : undefined
  }

  return {
    /** The role is enough. */
    has,
    reason,
    bars: (needed: Role): boolean => reason(needed) !== undefined,
  }
}
