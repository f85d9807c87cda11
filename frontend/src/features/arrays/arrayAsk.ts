/** The request for one array in its dialog: its form, the typed values, and the resulting change. */
import { computed, ref } from 'vue'
import type { Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import type { ArrayMember, Disk, EngineLevel, Level, ScrubAction, StorageArray } from '@/api'
import { useAct } from '@/changes/act'
import {
  addDisks,
  addSpares,
  changeArray,
  changeDisk,
  deletion,
  forceStart,
  forget,
  grow,
  release,
  replaceDisk,
  reshape,
  scrub,
} from './arrayActs'
import type { AddedRole, MemberVerb } from './arrayActs'
import { replacementFor } from './diskChoice'
import { paceBody, paceOf } from './paceDraft'
import { tuningBody, tuningOf } from './tuningDraft'

export type Form =
  'add_spares' | 'add_disks' | 'grow' | 'reshape' | 'replace' | 'pace' | 'tune' | 'spare_group'
export type Question =
  Exclude<Form, 'replace'> | 'delete' | 'release' | 'forget' | 'force_start' | ScrubAction

/** Everything that a form of the dialog can hold. */
export interface AskDraft {
  role: AddedRole
  chosen: string[]
  wipe: string[]
  /** The new level. */
  level: Level
  pace: { min: string; max: string }
  tuning: ReturnType<typeof tuningOf>
  spareGroup: string
}

const SCRUBS: readonly string[] = ['check', 'repair', 'stop'] satisfies ScrubAction[]

export function useArrayAsk(
  array: Ref<StorageArray | undefined>,
  level: Ref<EngineLevel | undefined>,
  roles: Ref<readonly AddedRole[]>,
  disks: Ref<readonly Disk[]>,
) {
  const { t } = useI18n()
  const act = useAct()
  /** The form of the dialog; none if the plan alone is enough. */
  const form = ref<Form>()
  const isDeletion = ref(false)
  const draft = ref<AskDraft>({
    role: 'log',
    chosen: [],
    wipe: [],
    level: 'raid6',
    pace: { min: '', max: '' },
    tuning: { group_thread_cnt: '', stripe_cache_size: '', skip_copy: '', scheduler: '' },
    spareGroup: '',
  })

  const verbs = computed(() => level.value?.verbs ?? [])
  const isLost = computed(() => ['missing', 'failed'].includes(array.value?.health ?? ''))
  /** A running check can be stopped; else one can be started. One that stays stopped can only be forced to start. */
  const questions = computed<Question[]>(() => {
    if (array.value?.observed?.dirty_degraded)
      return verbs.value.includes('force_start') ? ['force_start'] : []
    const checks = ['check', 'repair', 'scrub'].includes(array.value?.observed?.progress?.action ?? '')
    const scrubs: Question[] = checks ? ['stop'] : ['check', 'repair']
    return [
      ...(verbs.value.includes('scrub') ? scrubs : []),
      ...(['pace', 'tune', 'add_spares', 'add_disks', 'grow', 'reshape'] as const).filter((verb) =>
        verbs.value.includes(verb),
      ),
      ...(level.value?.options.includes('spare_group') ? (['spare_group'] as const) : []),
      ...(verbs.value.includes('release') && !array.value?.encryption ? (['release'] as const) : []),
      ...(isLost.value ? (['forget'] as const) : []),
    ]
  })

  function empty(shown: StorageArray): void {
    const role = roles.value[0] ?? 'log'
    draft.value = {
      role,
      chosen: [],
      wipe: [],
      level: 'raid6',
      pace: paceOf(shown),
      tuning: tuningOf(shown),
      spareGroup: shown.spare_group ?? '',
    }
  }

  /** The name is typed if disks with content are wiped. */
  const subjectOf = (shown: StorageArray) => (draft.value.wipe.length ? shown.name : undefined)

  function onMember(verb: MemberVerb, member: ArrayMember): void {
    const shown = array.value
    if (!shown) return
    const name = t(`arrays.verbs.${verb}`)
    empty(shown)
    const first = replacementFor(member, disks.value)
    if (verb === 'replace' && first) draft.value.chosen = [first.id]
    isDeletion.value = false
    form.value = verb === 'replace' ? 'replace' : undefined
    act.show({
      title: t('arrays.verbOf', { verb: name, disk: member.serial }),
      verb: name,
      isDestructive: verb === 'fail',
      get subject() {
        return subjectOf(shown)
      },
      change: () =>
        verb === 'replace'
          ? replaceDisk(shown, member.disk_id, draft.value)
          : changeDisk(shown, member.disk_id, verb),
    })
  }

  function ask(what: Question): void {
    const shown = array.value
    if (!shown) return
    empty(shown)
    isDeletion.value = what === 'delete' || what === 'release' || what === 'forget'
    const isRisk = isDeletion.value || what === 'force_start'
    form.value = isRisk || SCRUBS.includes(what) ? undefined : (what as Form)
    const changes = {
      add_spares: () => addSpares(shown, draft.value),
      add_disks: () => addDisks(shown, draft.value.role, draft.value),
      grow: () => grow(shown, draft.value),
      reshape: () => reshape(shown, draft.value.level, draft.value),
      pace: () => changeArray(shown, paceBody(draft.value.pace)),
      tune: () => changeArray(shown, tuningBody(draft.value.tuning, shown)),
      spare_group: () => changeArray(shown, { spare_group: draft.value.spareGroup.trim() || null }),
      force_start: () => forceStart(shown),
      release: () => release(shown),
      forget: () => forget(shown),
      delete: () => deletion(shown),
    }
    act.show({
      title: t(`arrays.ask.${what}`, { name: shown.name }),
      verb: t(`arrays.askVerb.${what}`),
      isDestructive: isRisk,
      get subject() {
        return isRisk ? shown.name : subjectOf(shown)
      },
      change:
        what in changes ? changes[what as keyof typeof changes] : () => scrub(shown, what as ScrubAction),
    })
  }

  return { act, form, draft, isDeletion, questions, onMember, ask }
}
