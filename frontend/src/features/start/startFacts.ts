/** The facts for the setup steps: requested every few seconds, so that a fix appears automatically. */
import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { statusShow } from '@/api'
import {
  alertListOptions,
  engineListOptions,
  fcPortListOptions,
  rdmaDeviceListOptions,
  settingShowOptions,
  statusShowOptions,
} from '@/api/@tanstack/vue-query.gen'
import { LONGEST_PAGE } from '@/lists/everyPage'
import { everyDisk } from '@/lists/everyRow'
import { OBSERVED_EVERY_MS } from '@/server/queries'
import { checksOf } from './startChecks'

/** How far the appliance's clock is ahead of this computer's, by the Date of a response; null if it has none. */
async function readSkew(): Promise<number | null> {
  const { response } = await statusShow({ throwOnError: true })
  const told = Date.parse(response.headers.get('Date') ?? '')
  return Number.isNaN(told) ? null : told - Date.now()
}

export function useStartFacts() {
  const { t } = useI18n()
  const again = { refetchInterval: OBSERVED_EVERY_MS }
  const status = useQuery({ ...statusShowOptions(), ...again })
  const engines = useQuery({ ...engineListOptions(), ...again })
  const disks = useQuery(everyDisk())
  const alerts = useQuery({
    ...alertListOptions({ query: { active: true, limit: LONGEST_PAGE } }),
    ...again,
  })
  const fcPorts = useQuery({ ...fcPortListOptions(), ...again })
  const rdmaDevices = useQuery({ ...rdmaDeviceListOptions(), ...again })
  const settings = useQuery(settingShowOptions())
  const skew = useQuery({ queryKey: ['start', 'skew'], queryFn: readSkew, ...again })
  const needed = [status, engines, disks, alerts, fcPorts, rdmaDevices, settings]

  return {
    status,
    settings: settings.data,
    error: computed(() => needed.find((one) => one.error.value)?.error.value),
    checks: computed(() => {
      if (!status.data.value || !engines.data.value || !disks.data.value || !alerts.data.value)
        return undefined
      if (!fcPorts.data.value || !rdmaDevices.data.value) return undefined
      return checksOf({
        status: status.data.value,
        engines: engines.data.value.items,
        disks: disks.data.value,
        alerts: alerts.data.value.items,
        openAlerts: alerts.data.value.total,
        fcPorts: fcPorts.data.value.items,
        rdmaDevices: rdmaDevices.data.value.items,
        skewMs: skew.data.value ?? undefined,
        protocol: (name) => t(`protocols.${name}`),
      })
    }),
    retry: () => {
      for (const query of needed) void query.refetch()
    },
  }
}
