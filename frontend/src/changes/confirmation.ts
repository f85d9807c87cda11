/** What has to be typed before a plan is applied: names of what is lost for good, in use, or may still be a host's device. */
import { computed, ref } from 'vue'
import type { Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Plan } from '@/api'
import { isIrreversible } from './change'

export function useConfirmation(
  plan: Readonly<Ref<Plan | undefined>>,
  isCascade: Readonly<Ref<boolean>>,
  /** The name of the object that is deleted, if it has one. */
  subject: () => string | undefined,
) {
  const { t } = useI18n()
  const typed = ref('')
  /** Volumes that hosts use now and that would be deleted. */
  const busy = computed(() => plan.value?.volumes.filter((one) => one.busy).map((one) => one.name) ?? [])
  /** Volumes whose numbers others would get, and whose devices hosts may still have. */
  const reused = computed(() => plan.value?.reused.map((one) => one.former) ?? [])
  const confirmed = computed(() => [...new Set([...busy.value, ...reused.value])])
  const needsSubject = computed(() => plan.value && (isCascade.value || isIrreversible(plan.value)))
  const toType = computed(() => {
    const name = needsSubject.value ? subject() : undefined
    return [...new Set([...(name ? [name] : []), ...confirmed.value])]
  })
  const mustType = computed(() => toType.value.length > 0)
  const isTyped = computed(() => {
    // "3 hosts" is one of them, although it has a space.
    const names = new Set([...typed.value.trim().split(/\s*,\s*/), ...typed.value.split(/[\s,]+/)])
    return toType.value.every((name) => names.has(name))
  })
  const typeLabel = computed(() => {
    const names = toType.value.join(', ')
    if (busy.value.length) return t('plan.typeBusy', { names })
    if (reused.value.length) return t('plan.typeReused', { names })
    const lost = plan.value && isIrreversible(plan.value)
    return t(lost ? 'plan.typeName' : 'plan.typeCascade', { name: subject() })
  })
  return { typed, typeLabel, confirmed, mustType, isTyped }
}
