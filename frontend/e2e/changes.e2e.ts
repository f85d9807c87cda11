/** Changes as a person makes them: planned, confirmed, followed to their end, refused in words, failed and tried again. */
import { expect, test } from '@playwright/test'
import { atTheMachine, change, list } from './appliance'
import { JOB_MS, confirm, deleteRow, dialog, finished, review } from './changing'

test.describe.configure({ mode: 'serial' })

test('many volumes are mapped in one go by a selection in the matrix, and one is unmapped through its plan', async ({
  page,
}) => {
  await page.goto('/mappings?host=esx2&volume=lun1')
  const grid = page.getByRole('grid')
  await grid.focus()
  await expect(grid.getByRole('gridcell', { name: 'esx2, lun10: not mapped' })).toBeVisible()
  for (let step = 0; step < 7; step += 1) await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Enter')
  await confirm(page, /LUN 8/, 'Map')
  await expect(grid.getByRole('gridcell', { name: 'esx2, lun17: LUN 8, Online' })).toBeVisible()
  expect(await list(page, 'mappings', 'host=esx2')).toHaveLength(8)

  await grid.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await confirm(page, /esx2 loses LUN 1/, 'Unmap')
  await expect(grid.getByRole('gridcell', { name: 'esx2, lun10: not mapped' })).toBeVisible()
})

test('one click of the mouse asks for a volume and can be undone, and a drag over cells maps many', async ({
  page,
}) => {
  await page.goto('/mappings?host=esx2&volume=lun2')
  const grid = page.getByRole('grid')
  const row = grid.getByRole('rowheader', { name: 'esx2' })
  const column = (name: string) => grid.getByRole('columnheader', { name, exact: true })
  /** Where in the grid a cell is: a free one has no element, so it is where its column and the row cross. */
  const middle = async (name: string): Promise<{ x: number; y: number }> => {
    const boxes = await Promise.all([grid, column(name), row].map((part) => part.boundingBox()))
    const [frame, across, down] = boxes
    if (!frame || !across || !down) throw new Error(`${name} of esx2 is not in sight.`)
    return { x: across.x + across.width / 2 - frame.x, y: down.y + down.height / 2 - frame.y }
  }
  const served = (name: string) =>
    grid.getByRole('gridcell', { name: new RegExp(`^esx2, ${name}: LUN \\d+, Online$`) })
  await expect(row).toBeVisible()
  await expect(column('lun23')).toBeVisible()
  const before = await list<{ id: string }>(page, 'mappings', 'host=esx2')

  await grid.click({ position: await middle('lun20') })
  await confirm(page, /LUN \d+ of esx2/, 'Map')
  // Under the pointer the offer stays, however long the appliance takes to serve the volume.
  const undo = page.getByRole('button', { name: 'Undo', exact: true })
  await undo.hover()
  await expect(served('lun20')).toBeVisible({ timeout: JOB_MS })
  await undo.click()
  await expect(page.getByText(/^Undone: Mapped lun20 to esx2/).first()).toBeVisible()
  await expect(served('lun20')).toBeHidden({ timeout: JOB_MS })
  await grid.click({ position: await middle('lun20') })
  await confirm(page, /LUN \d+ of esx2/, 'Map')
  await expect(served('lun20')).toBeVisible({ timeout: JOB_MS })

  await grid.hover({ position: await middle('lun21') })
  await page.mouse.down()
  await grid.hover({ position: await middle('lun22') })
  await grid.hover({ position: await middle('lun23') })
  await page.mouse.up()
  await expect(dialog(page).getByText('Map 3 volumes to esx2').first()).toBeVisible()
  await confirm(page, /LUN \d+/, 'Map')
  await expect(dialog(page)).toBeHidden({ timeout: JOB_MS })
  for (const name of ['lun21', 'lun22', 'lun23']) await expect(served(name)).toBeVisible({ timeout: JOB_MS })

  // The scene of the other tests is left as it was found.
  const known = new Set(before.map(({ id }) => id))
  const made = (await list<{ id: string }>(page, 'mappings', 'host=esx2')).filter(({ id }) => !known.has(id))
  expect(made).toHaveLength(4)
  for (const { id } of made) await change(page, 'DELETE', `/mappings/${id}`)
})

test('what the appliance refuses is shown in its words, and nothing typed is lost', async ({ page }) => {
  await page.goto('/hosts')
  await page.getByRole('button', { name: 'Create host' }).first().click()
  await dialog(page).getByLabel('Name', { exact: true }).fill('esx3')
  await dialog(page).getByLabel('iSCSI names (IQN)').fill('not an initiator')
  await review(page)
  await expect(dialog(page).getByRole('alert').first()).toContainText('expected an iSCSI name')
  await expect(dialog(page).getByLabel('iSCSI names (IQN)')).toHaveValue('not an initiator')
  await page.keyboard.press('Escape')

  // A volume that is mapped is deleted only together with its mapping, after its name was typed.
  await deleteRow(page, '/volumes', 'lun01')
  await expect(dialog(page).getByRole('alert').first()).toContainText('delete these mappings first')
  await dialog(page).getByRole('button', { name: 'Unmap 1 mapping and delete' }).click()
  await expect(dialog(page).getByRole('button', { name: 'Delete', exact: true })).toBeDisabled()
})

test('a volume is deleted with its mapping, and recovered', { tag: '@slow' }, async ({ page }) => {
  const [host] = await list<{ id: string }>(page, 'hosts', 'name=esx2')
  await change(page, 'POST', '/mappings', { volume: 'lun23', host: host?.id })
  await deleteRow(page, '/volumes', 'lun23')
  await dialog(page).getByRole('button', { name: 'Unmap 1 mapping and delete' }).click()
  await confirm(page, /esx2 loses LUN \d+/, 'Delete', 'lun23')
  await finished(page)
  expect(await list(page, 'mappings', 'volume=lun23')).toHaveLength(0)
  await page.goto('/deleted-volumes')
  await page.getByRole('button', { name: 'Recover lun23' }).click()
  await review(page)
  await confirm(page, /lun23/, 'Recover')
  await finished(page)
})

test('a deleted volume is kept, and erasing it asks for its name', { tag: '@slow' }, async ({ page }) => {
  await deleteRow(page, '/volumes', 'lun24')
  await confirm(page, /can be recovered for 24 hours/, 'Delete')
  await finished(page)
  await expect(page.getByText('No results for “lun24”')).toBeVisible()

  await page.goto('/deleted-volumes')
  await page.getByRole('button', { name: 'Erase lun24' }).click()
  await expect(dialog(page).getByText('16 MiB of data will be destroyed')).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: 'Erase', exact: true })).toBeDisabled()
  await confirm(page, /data are lost/, 'Erase', 'lun24')
  await finished(page)
})

test('a job that fails says why and what it took back, and works once the cause is mended', async ({
  page,
}) => {
  await page.goto('/volumes/new')
  await page.getByLabel('Name', { exact: true }).fill('again')
  await page.getByLabel('Size', { exact: true }).fill('16')
  await page.getByLabel('Unit').selectOption('MiB')
  await review(page)
  await atTheMachine('break-tool', { tool: 'lvcreate' })
  try {
    await confirm(page, /16 MiB/, 'Create volumes')
    await expect(dialog(page).getByRole('alert').first()).toContainText('the tool is broken')
    await expect(dialog(page).getByRole('alert').first()).toContainText(/Failed/)
  } finally {
    await atTheMachine('mend-tool', { tool: 'lvcreate' })
  }
  await dialog(page).getByRole('button', { name: 'Try again' }).click()
  await confirm(page, /16 MiB/, 'Create volumes')
  await finished(page)
})
