/** All rows of a list whose page needs all of them: page after page, reported as they arrive. */

/** The API's longest page. */
export const LONGEST_PAGE = 1000

interface Page<Row> {
  items: Row[]
  next_cursor: string | null
}

/** Throws what `fetchPage` throws. `onPage` gets everything so far, unless that is already all. */
export async function everyPage<Row>(
  fetchPage: (query: { limit: number; cursor?: string }) => Promise<{ data: Page<Row> }>,
  onPage?: (soFar: Row[]) => void,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const { data }: { data: Page<Row> } = await fetchPage({ limit: LONGEST_PAGE, ...(cursor && { cursor }) })
    rows.push(...data.items)
    cursor = data.next_cursor
    if (cursor) onPage?.([...rows])
  } while (cursor)
  return rows
}
