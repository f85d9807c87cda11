import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { plugins } from '../../mock/visit'
import DataTable from './DataTable.vue'

interface Fruit {
  id: string
  name: string
  grams: number
}

const fruits: Fruit[] = [
  { id: 'a', name: 'apple', grams: 150 },
  { id: 'b', name: 'banana', grams: 120 },
]

function table(props: object = {}) {
  return mount(DataTable<Fruit>, {
    props: {
      columns: [
        { key: 'name', label: 'Name', isSortable: true },
        { key: 'grams', label: 'Weight', isSortable: true, isFigure: true },
        { key: 'note', label: 'Note' },
      ],
      rows: fruits,
      rowKey: (fruit: Fruit) => fruit.id,
      caption: 'Fruit',
      sort: 'name',
      ...props,
    },
    slots: {
      name: ({ row }: { row: Fruit }) => row.name,
      grams: ({ row }: { row: Fruit }) => `${row.grams} g`,
      opened: ({ row }: { row: Fruit }) => `all about ${row.name}`,
      empty: () => 'no fruit',
    },
    global: { plugins: plugins() },
  })
}

const header = (view: ReturnType<typeof table>, name: string) => {
  const found = view.findAll('th').find((cell) => cell.text() === name)
  if (!found) throw new Error(`no column ${name}`)
  return found
}

it('shows the rows in the order they came', () => {
  const names = table({ rows: [...fruits].reverse() }).findAll('tbody tr')
  expect(names.map((row) => row.find('td').text())).toEqual(['banana', 'apple'])
})

it('tells assistive technology what it is sorted by', () => {
  expect(header(table(), 'Name').attributes('aria-sort')).toBe('ascending')
  expect(header(table({ sort: '-name' }), 'Name').attributes('aria-sort')).toBe('descending')
})

it('asks for the other direction on a second click, and for ascending on another column', async () => {
  const view = table()
  await header(view, 'Name').find('button').trigger('click')
  await header(view, 'Weight').find('button').trigger('click')
  expect(view.emitted('sort')).toEqual([['-name'], ['grams']])
})

it('offers no sorting where the API has none', () => {
  expect(header(table(), 'Note').find('button').exists()).toBe(false)
})

it('says in words that there is nothing, but not while it is loading', () => {
  expect(table({ rows: [] }).text()).toContain('no fruit')
  expect(table({ rows: [], isLoading: true }).text()).not.toContain('no fruit')
})

it('opens a row to its details', async () => {
  const view = table({ canOpen: true })
  const opener = view.findAll('tbody button')[1]
  await opener?.trigger('click')
  expect(view.text()).toContain('all about banana')
  expect(view.text()).not.toContain('all about apple')
  expect(opener?.attributes('aria-expanded')).toBe('true')
})
