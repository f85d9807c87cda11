/** The site document: JSON for the API, YAML for users. */
import { YAMLException, dump, load } from 'js-yaml'
import type { Site, SiteRequestWritable } from '@/api'

export type Parsed = { site: Site } | { wrong: string }

/** YAML as `lunette export` writes it. Empty parts are omitted, because an empty section means "not compared". */
export const toYaml = (site: Site): string =>
  dump(site, { lineWidth: 120, noRefs: true, flowLevel: 3, skipInvalid: true })

/** YAML or JSON, which is YAML too. An invalid document is reported with its line; the API judges the rest. */
export function parse(text: string): Parsed {
  try {
    const site: unknown = load(text)
    if (typeof site !== 'object' || site === null || Array.isArray(site)) return { wrong: '' }
    return { site: site as Site }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
}

export interface Fault {
  from: number
  to: number
  severity: 'error'
  message: string
}

/** The place where the text is not valid YAML, as the editor marks it. */
export function faultAt(text: string): Fault[] {
  try {
    load(text)
    return []
  } catch (error) {
    if (!(error instanceof YAMLException)) return []
    const from = Math.min(error.mark?.position ?? 0, text.length)
    return [{ from, to: text.length > from ? from + 1 : from, severity: 'error', message: error.reason }]
  }
}

const lines = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter(Boolean)

export interface SiteDraft {
  text: string
  scope: string
  destroy: string
}

export const requestOf = (site: Site, draft: SiteDraft): SiteRequestWritable => ({
  site: site as SiteRequestWritable['site'],
  scope: lines(draft.scope),
  destroy: lines(draft.destroy),
})
