/** The possible arrays of the draft's disks, by engine, and the chosen level. */
import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed, ref, watch } from 'vue'
import type { Engine, Level } from '@/api'
import { layoutListOptions } from '@/api/@tanstack/vue-query.gen'
import { freshDraft, suggestLevel } from './arrayDraft'
import type { ArrayDraft } from './arrayDraft'

export function useLevels(draft: ArrayDraft, known: () => readonly Engine[] | undefined) {
  /** Until one is chosen, the level follows the disks. */
  const hasChosen = ref(false)
  const engines = computed(() => (known() ?? []).filter(({ kind }) => kind === 'array'))
  const engine = computed(() => engines.value.find((one) => one.engine === draft.engine))
  const level = computed(() => engine.value?.levels.find((one) => one.level === draft.level))
  const query = useQuery(
    computed(() => ({
      ...layoutListOptions({ query: { disks: draft.disks } }),
      enabled: draft.disks.length > 0,
      placeholderData: keepPreviousData,
      retry: false,
    })),
  )
  const layouts = computed(() =>
    draft.disks.length ? (query.data.value?.layouts ?? []).filter((one) => one.engine === draft.engine) : [],
  )
  /** What the chosen level would offer, in the chosen layout or its default, which comes first. */
  const layout = computed(() => {
    const own = layouts.value.filter((one) => one.level === draft.level)
    return own.find((one) => one.layout === draft.options.layout) ?? own[0]
  })

  /** The protection against the write hole that the level offers, with the chosen disks if there are any. */
  const policies = computed(() => (layout.value?.possible ? layout.value : level.value)?.write_hole ?? [])

  function choose(chosen: Level): void {
    hasChosen.value = true
    draft.level = chosen
  }

  /** The usual engine, and from now on the level that suits the disks. */
  function follow(): void {
    const usable = engines.value.filter(({ available, levels }) => available && levels.length)
    const usual = usable.find((one) => one.engine === freshDraft().engine) ?? usable[0]
    if (usual) draft.engine = usual.engine as ArrayDraft['engine']
    hasChosen.value = false
  }

  // If the engine is not available, the first available one is used.
  watch(
    engines,
    (all) => {
      const own = all.find((one) => one.engine === draft.engine)
      const other = all.find(({ available, levels }) => available && levels.length)
      if (!own?.available && other) draft.engine = other.engine as ArrayDraft['engine']
    },
    { immediate: true },
  )
  watch([layouts, () => draft.engine, hasChosen], ([found], [, before]) => {
    const levels = engine.value?.levels ?? []
    const isOther = before !== draft.engine && !levels.some((one) => one.level === draft.level)
    if (hasChosen.value && !isOther) return
    const isPossible = found.some((one) => one.level === draft.level && one.possible)
    const wanted = suggestLevel(draft.disks.length, found)
    const fallback = isPossible ? undefined : found.find(({ possible }) => possible)?.level
    draft.level = wanted ?? fallback ?? (isOther ? levels[0]?.level : undefined) ?? draft.level
  })
  // A policy or a layout of another level does not apply to this one.
  watch(policies, (now) => {
    if (!now.some((one) => one === draft.options.write_hole)) draft.options.write_hole = ''
  })
  watch(level, (now) => {
    const { options } = draft
    if (!now?.layouts.some((one) => one === options.layout)) options.layout = ''
  })

  return { engines, engine, level, layouts, layout, policies, choose, follow }
}
