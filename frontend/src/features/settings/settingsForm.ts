/** The form of one page of settings: what is typed is kept apart from what is stored until it is saved. */
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, reactive, ref, watch } from 'vue'
import { settingPatch, settingShow } from '@/api'
import type { SettingsPatchWritable } from '@/api'
import { settingShowOptions } from '@/api/@tanstack/vue-query.gen'
import type { Change } from '@/changes/change'
import { useDraft } from '@/changes/unsaved'
import { draftOf, patchBody } from './settingsDraft'

/** `fields` are the settings of this page; only they are saved. */
export function useSettingsForm(name: string, fields: readonly (keyof SettingsPatchWritable)[]) {
  const queries = useQueryClient()
  const query = useQuery(settingShowOptions())
  const draft = ref(draftOf())
  /** The settings that filled the form; changes by other users meanwhile do not discard what is typed here. */
  const filled = ref('')
  /** The draft as it was filled. */
  const clean = ref('')
  const settings = computed(() => query.data.value)
  const isDirty = computed(() => Boolean(filled.value) && JSON.stringify(draft.value) !== clean.value)
  useDraft(`settings ${name}`, reactive({ draft, filled, clean }), () => isDirty.value)

  function restore(from = settings.value): void {
    if (!from) return
    filled.value = from.updated_at
    draft.value = draftOf(from)
    clean.value = JSON.stringify(draft.value)
  }

  watch(settings, (fresh) => fresh && !filled.value && restore(), { immediate: true })

  function body(): SettingsPatchWritable {
    const all = patchBody(draft.value)
    const own: SettingsPatchWritable = {}
    for (const field of fields) Object.assign(own, { [field]: all[field] })
    return own
  }

  const change = (): Change => ({
    noun: 'setting',
    read: () => settingShow(),
    send: (call) => settingPatch({ body: body(), ...call }),
  })

  async function saved(): Promise<void> {
    // Not by a refetch: one that an event cancels ends with the old settings.
    const { data } = await settingShow()
    // Without an answer, the next one fills the form.
    filled.value = ''
    if (!data) return
    queries.setQueryData(settingShowOptions().queryKey, data)
    restore(data)
  }

  return { query, settings, draft, isDirty, restore, change, saved }
}

export type SettingsForm = ReturnType<typeof useSettingsForm>
