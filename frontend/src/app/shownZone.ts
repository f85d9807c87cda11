/** Shows times in the zone that the user has chosen. */
import { useQuery } from '@tanstack/vue-query'
import { computed, onScopeDispose, watch } from 'vue'
import { settingShowOptions } from '@/api/@tanstack/vue-query.gen'
import { usePreferences } from '@/session/preferences'
import { shownZone } from '@/ui/format'

export function useShownZone(): void {
  const preferences = usePreferences()
  const isOfAppliance = computed(() => preferences.zone === 'appliance')
  const { data: settings } = useQuery(
    computed(() => ({ ...settingShowOptions(), enabled: isOfAppliance.value })),
  )
  watch(
    () => (isOfAppliance.value ? settings.value?.time_zone : preferences.zone === 'utc' ? 'UTC' : undefined),
    (zone) => (shownZone.value = zone),
    { immediate: true },
  )
  onScopeDispose(() => (shownZone.value = undefined))
}
