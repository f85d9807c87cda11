/** The content of the form of scheduled backups, and its request. */
import type { BackupTarget, BackupSettingsWritable } from '@/api'

export interface ScheduledDraft {
  url: string
  user: string
  password: string
  passphrase: string
  repeated: string
  when: string
  keep: number
  certificate: boolean
}

/** The times offered; any other is written as a cron expression. */
export const TIMES = ['0 3 * * *', '0 * * * *', '0 3 * * SUN'] as const

export function draftOf(held?: BackupTarget | null): ScheduledDraft {
  return {
    url: held?.url ?? '',
    user: held?.user ?? '',
    password: '',
    passphrase: '',
    repeated: '',
    when: held?.when ?? TIMES[0],
    keep: held?.keep ?? 14,
    certificate: held?.certificate ?? true,
  }
}

/** A secret that was not typed is omitted, so the stored one stays. */
export const bodyOf = (draft: ScheduledDraft): BackupSettingsWritable => ({
  url: draft.url.trim(),
  user: draft.user.trim() || null,
  ...(draft.password && { password: draft.password }),
  ...(draft.passphrase && { passphrase: draft.passphrase }),
  when: draft.when.trim(),
  keep: Number(draft.keep),
  certificate: draft.certificate,
})
