import UIcon from '@nuxt/ui/components/Icon.vue'
import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plugins } from '../../mock/visit'
import ChoiceBar from './ChoiceBar.vue'
import MeterBar from './MeterBar.vue'
import ProblemNotice from './ProblemNotice.vue'
import RowAction from './RowAction.vue'
import SearchField from './SearchField.vue'
import SizeText from './SizeText.vue'

const global = { plugins: plugins() }

describe('search field', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('asks once, after typing has paused', async () => {
    const view = mount(SearchField, { props: { modelValue: '', label: 'Search' }, global })
    const input = view.find('input')
    for (const text of ['l', 'lu', 'lun ']) await input.setValue(text)
    expect(view.emitted('update:modelValue')).toBeUndefined()
    await vi.advanceTimersByTimeAsync(300)
    expect(view.emitted('update:modelValue')).toEqual([['lun']])
  })

  it('is cleared at once', async () => {
    const view = mount(SearchField, { props: { modelValue: 'lun', label: 'Search' }, global })
    await view.find('button').trigger('click')
    expect(view.emitted('update:modelValue')).toEqual([['']])
  })
})

it('a choice bar marks what is chosen and can choose nothing again', async () => {
  const choices = [
    { value: 'free', label: 'Free' },
    { value: 'member', label: 'In an array' },
  ]
  const view = mount(ChoiceBar<string>, {
    props: { modelValue: 'free', label: 'State', all: 'All', choices },
  })
  expect(view.findAll('[aria-pressed=true]').map((button) => button.text())).toEqual(['Free'])
  await view.findAll('button')[0]?.trigger('click')
  expect(view.emitted('update:modelValue')).toEqual([[undefined]])
})

it.each([
  [5, 10, '50'],
  [12, 10, '100'],
  [-1, 10, '0'],
  [5, 0, '0'],
])('a meter of %d of %d stands at %s percent', (value, max, percent) => {
  const view = mount(MeterBar, { props: { value, max, label: 'tank' } })
  expect(view.attributes('aria-valuenow')).toBe(percent)
})

it('a size keeps the other system and the exact count one hover away', () => {
  const view = mount(SizeText, { props: { bytes: 12_000_138_625_024, system: 'binary' } })
  expect(view.text()).toBe('10.9 TiB')
  expect(view.attributes('title')).toBe('12 TB · 12,000,138,625,024 B')
})

it('an unknown size is a dash and not zero', () => {
  expect(mount(SizeText, { props: { bytes: null, system: 'binary' } }).text()).toBe('—')
})

it('a problem shows every field that was wrong and can be tried again', async () => {
  const error = { title: 'Not valid', detail: 'No.', errors: [{ field: 'name', message: 'is taken' }] }
  const view = mount(ProblemNotice, { props: { error, canRetry: true }, global })
  expect(view.text()).toContain('name: is taken')
  await view.find('button').trigger('click')
  expect(view.emitted('retry')).toHaveLength(1)
})

it('draws in the button of a row what the icon is elsewhere', () => {
  const inRow = mount(RowAction, { props: { icon: 'i-lucide-pencil', label: 'Edit' }, global })
  const elsewhere = mount(UIcon, { props: { name: 'i-lucide-pencil' }, global })
  expect(inRow.find('svg').element.innerHTML).toBe(elsewhere.find('svg').element.innerHTML)
  expect(inRow.find('path').exists()).toBe(true)
})
