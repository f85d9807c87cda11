/** The site as one document, and what is not its own yet. */
import { json } from '../answers'
import * as document from '../document'
import type { Handlers } from '../operation'
import * as takeover from '../takeover'
import * as whole from '../whole'

export const SITE = {
  siteShow: ({ world }) => json(whole.site(world)),
  siteSchemaShow: () => json(document.schema),
  sitePlan: ({ world, body }) => json(whole.applySite(world, body).plan),
  siteApply: ({ world, body }) => whole.applySite(world, body),
  siteSaveconfig: ({ query }) => json(takeover.saveconfig(query.secrets ?? false)),
  siteAdopt: ({ world, body }) => takeover.adopt(world, body),
  siteInspect: () => json(takeover.inspection()),
  driftShow: ({ world }) => json(world.drift),
} satisfies Partial<Handlers>
