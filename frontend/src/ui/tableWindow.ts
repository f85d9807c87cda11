/** Of a long table only the rows in sight are in the page; the space of all others is reserved above and below them. */
import { useVirtualizer } from '@tanstack/vue-virtual'
import { useElementSize, useThrottleFn } from '@vueuse/core'
import { computed, nextTick, ref, watch } from 'vue'
import type { Ref } from 'vue'

/** First and one past the last row. */
export interface Sight {
  from: number
  to: number
}

/** Up to this length a table is rendered completely, for screen readers, find-in-page and printing. */
export const WHOLE_ROWS = 50
/** Height of the head. */
const HEAD_PX = 37
/** Rows rendered beyond the edges, so that a turn of the wheel shows no gap. */
const BEYOND = 8
/** The interval of reports while the user scrolls; rows scrolled past are not requested. */
const TELL_MS = 120

interface Table {
  frame: Readonly<Ref<HTMLElement | null>>
  total: Readonly<Ref<number>>
  /** The row to start at, once rows are loaded. */
  start: number
  /** The height of a row before it has been measured. */
  rowPx: () => number
  onSight: (sight: Sight) => void
}

export function useTableWindow({ frame, total, start, rowPx, onSight }: Table) {
  const isLong = computed(() => total.value > WHOLE_ROWS)
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: total.value,
      enabled: isLong.value,
      getScrollElement: () => frame.value,
      estimateSize: rowPx,
      overscan: BEYOND,
      scrollMargin: HEAD_PX,
      scrollPaddingStart: HEAD_PX,
    })),
  )
  const drawn = computed(() => (isLong.value ? virtualizer.value.getVirtualItems() : []))
  const indexes = computed(() =>
    isLong.value ? drawn.value.map(({ index }) => index) : Array.from({ length: total.value }, (_, at) => at),
  )
  const before = computed(() => Math.max(0, (drawn.value[0]?.start ?? HEAD_PX) - HEAD_PX))
  const after = computed(() => {
    const last = drawn.value.at(-1)
    return last ? Math.max(0, virtualizer.value.getTotalSize() - (last.end - HEAD_PX)) : 0
  })
  /** Without the rows beyond the edges. */
  const sight = computed<Sight>(() => {
    if (!isLong.value) return { from: 0, to: total.value }
    const { range } = virtualizer.value
    return range ? { from: range.startIndex, to: range.endIndex + 1 } : { from: 0, to: 0 }
  })

  const tell = useThrottleFn(onSight, TELL_MS, true)
  watch(
    () => `${sight.value.from} ${sight.value.to}`,
    () => void (sight.value.to && tell(sight.value)),
    { immediate: true },
  )

  const isBegun = ref(false)
  watch(
    isLong,
    async (long) => {
      if (!long || isBegun.value) return
      isBegun.value = true
      await nextTick()
      if (start) virtualizer.value.scrollToIndex(Math.min(start, total.value - 1), { align: 'start' })
    },
    { immediate: true, flush: 'post' },
  )

  return {
    isLong,
    indexes,
    before,
    after,
    sight,
    /** Rows differ in height: opened ones, long words. */
    measure: (element: unknown) => {
      if (isLong.value) virtualizer.value.measureElement(element as Element | null)
    },
    /** Scrolls to a row and resolves once it is rendered. */
    show: async (index: number): Promise<void> => {
      if (isLong.value) virtualizer.value.scrollToIndex(index, { align: 'auto' })
      await nextTick()
    },
    toTop: (): void => frame.value?.scrollTo({ top: 0 }),
  }
}

/**
 * The widths of the columns of a long table when its first rows are loaded: with other rows in sight they would
 * differ, and the table would shake. A column with wider content still grows.
 */
export function useColumnWidths(
  frame: Readonly<Ref<HTMLElement | null>>,
  /** It is long, and rows are loaded to be measured. */
  isNeeded: () => boolean,
  /** Changes when the columns do, or the list. */
  of: () => string,
) {
  const widths = ref<number[]>([])
  const { width } = useElementSize(frame)

  watch([of, width], () => (widths.value = []))
  watch(
    () => isNeeded() && !widths.value.length,
    async (isMissing) => {
      if (!isMissing) return
      await nextTick()
      const heads = [...(frame.value?.querySelectorAll<HTMLElement>('thead th') ?? [])]
      widths.value = heads.map((head) => head.offsetWidth)
    },
    { flush: 'post' },
  )
  return widths
}
