import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { plugins, resize, tall } from '../../mock/visit'
import DataTable from './DataTable.vue'
import { useSelection } from './tableSelection'

interface Fruit {
  id: string
  name: string
  grams: number
}

const fruits: Fruit[] = [
  { id: 'a', name: 'apple', grams: 150 },
  { id: 'b', name: 'banana', grams: 120 },
]

/** How often each row was rendered, by its name. */
const rendered = new Map<string, number>()

function table(props: object = {}) {
  rendered.clear()
  return mount(DataTable<Fruit>, {
    props: {
      columns: [
        { key: 'name', label: 'Name', isSortable: true },
        { key: 'grams', label: 'Weight', isSortable: true, isFigure: true },
        { key: 'note', label: 'Note' },
      ],
      total: fruits.length,
      at: (index: number) => fruits[index],
      rowKey: (fruit: Fruit) => fruit.id,
      caption: 'Fruit',
      sort: 'name',
      ...props,
    },
    slots: {
      name: ({ row }: { row: Fruit }) => {
        rendered.set(row.name, (rendered.get(row.name) ?? 0) + 1)
        return row.name
      },
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
  const names = table({ at: (index: number) => [...fruits].reverse()[index] }).findAll('tbody tr')
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
  expect(table({ total: 0 }).text()).toContain('no fruit')
  expect(table({ total: undefined }).text()).not.toContain('no fruit')
})

it('opens a row to its details', async () => {
  const view = table({ canOpen: true })
  const opener = view.findAll('tbody button')[1]
  await opener?.trigger('click')
  expect(view.text()).toContain('all about banana')
  expect(view.text()).not.toContain('all about apple')
  expect(opener?.attributes('aria-expanded')).toBe('true')
})

it('hides a column the window has no room for, unless the user chose it', () => {
  const columns = [
    { key: 'name', label: 'Name' },
    { key: 'grams', label: 'Weight', from: 3 },
    { key: 'note', label: 'Note', from: 4 },
  ]
  const heads = (props: object = {}) =>
    table({ columns, ...props })
      .findAll('th')
      .map((cell) => cell.text())
  expect(heads()).toEqual(['Name', 'Weight'])
  resize(1024)
  expect(heads()).toEqual(['Name'])
  expect(heads({ shows: ({ key }: { key: string }) => key === 'note' })).toEqual(['Name', 'Note'])
})

describe('on a phone', () => {
  const columns = [
    { key: 'grams', label: 'Weight', isSortable: true, from: 1 },
    { key: 'name', label: 'Name', isSortable: true, isTitle: true },
    { key: 'note', label: 'Note' },
    { key: 'acts', label: 'Actions', isUnlabelled: true },
  ]

  it('makes each row a card: its name, what matters most, its buttons', () => {
    resize(390)
    const view = table({ columns })
    expect(view.find('table').exists()).toBe(false)
    expect(view.findAll('li').map((card) => card.text())).toEqual(['appleWeight150 g', 'bananaWeight120 g'])
    expect(view.find('[role=region]').attributes('aria-label')).toBe('Fruit')
  })

  it('opens a card to its details', async () => {
    resize(390)
    const view = table({ columns, canOpen: true })
    await view.findAll('li button')[1]?.trigger('click')
    expect(view.findAll('li').map((card) => card.text().includes('all about'))).toEqual([false, true])
  })

  it('sorts by a list of choices in place of the heads', async () => {
    resize(390)
    const view = table({ columns, sort: 'name' })
    const select = view.find<HTMLSelectElement>('select')
    expect(select.element.value).toBe('name')
    await select.setValue('-grams')
    expect(view.emitted('sort')).toEqual([['-grams']])
  })

  it('says in words that there is nothing', () => {
    resize(390)
    expect(table({ columns, total: 0 }).text()).toBe('no fruit')
  })
})

describe('a name that does not fit', () => {
  const NAME = 'n'.repeat(63)
  const long = () => {
    const view = table({ at: () => ({ id: 'a', name: NAME, grams: 1 }), total: 1 })
    const cell = view.find<HTMLElement>('tbody td')
    for (const [name, value] of Object.entries({ scrollWidth: 500, clientWidth: 200 }))
      Object.defineProperty(cell.element, name, { value })
    return cell
  }

  it('is cut off, and told in full to the pointer', async () => {
    const cell = long()
    expect(cell.classes()).toEqual(expect.arrayContaining(['max-w-64', 'overflow-hidden', 'text-ellipsis']))
    expect(cell.attributes('title')).toBeUndefined()
    await cell.trigger('mouseover')
    expect(cell.attributes('title')).toBe(NAME)
  })

  it('keeps the title of the page where it says more', async () => {
    const cell = long()
    cell.element.innerHTML = '<span title="why">short</span>'
    await cell.find('span').trigger('mouseover')
    expect(cell.attributes('title')).toBeUndefined()
  })
})

describe('a long list', () => {
  const MANY = 10_000
  const many = (loaded: (index: number) => boolean = () => true) => {
    tall(20)
    const kept = new Map<number, Fruit>()
    const at = (index: number) => {
      if (!kept.has(index)) kept.set(index, { id: String(index), name: `n${index}`, grams: 1 })
      return loaded(index) ? kept.get(index) : undefined
    }
    return table({
      total: MANY,
      at,
      selection: useSelection<Fruit>(({ id }) => id),
      nameOf: ({ name }: Fruit) => name,
    })
  }

  it('draws only what is in sight, and tells readers of all', async () => {
    const view = many()
    await flushPromises()
    const drawn = view.findAll('tbody[data-index]')
    expect(drawn.length).toBeGreaterThan(19)
    expect(drawn.length).toBeLessThan(40)
    expect(view.find('table').attributes('aria-rowcount')).toBe(String(MANY + 1))
    expect(drawn[3]?.find('tr').attributes('aria-rowindex')).toBe('5')
    expect(view.emitted('look')?.at(-1)).toEqual([{ from: 0, to: expect.any(Number) as number }])
  })

  it('shows a gap where rows are not here yet, and asks for a range over one', async () => {
    const view = many((index) => index < 2 || index > 5)
    await flushPromises()
    expect(view.findAll('[data-testid=gap]')).toHaveLength(4)
    const boxes = view.findAll<HTMLInputElement>('tbody [data-pick]')
    await boxes[0]?.trigger('click')
    await boxes[3]?.trigger('click', { shiftKey: true })
    expect(view.emitted('pickRange')).toEqual([[0, 7]])
  })

  it('renders only the rows that come into sight when it is scrolled', async () => {
    const view = many()
    await flushPromises()
    const first = new Map(rendered)
    const frame = view.find<HTMLElement>('[role=region]')
    frame.element.scrollTop = 10 * 45
    await frame.trigger('scroll')
    await flushPromises()
    expect(rendered.size).toBeGreaterThan(first.size)
    expect(new Set(rendered.values())).toEqual(new Set([1]))
  })

  it('renders a row again whose checkbox or value changes', async () => {
    const view = many()
    await flushPromises()
    const box = view.findAll<HTMLInputElement>('tbody [data-pick]')[1]
    await box?.trigger('click')
    expect(box?.element.checked).toBe(true)
    await view.setProps({ at: (index: number) => ({ id: String(index), name: `m${index}`, grams: 2 }) })
    expect(view.findAll('tbody tr')[1]?.text()).toContain('m1')
  })
})
