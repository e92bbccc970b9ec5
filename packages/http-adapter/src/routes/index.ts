import type { Endpoint } from "../Endpoint.js"
import { apiKeys, shareableLinks, tokens, users } from "./Access.js"
import { calls } from "./Calls.js"
import { agents, projects } from "./Catalog.js"
import { checkouts } from "./Checkouts.js"
import { dashboards, widgets } from "./Dashboards.js"

/** Every endpoint over the engine, a file a subject. */
export const endpoints: ReadonlyArray<Endpoint> = [
  ...calls,
  ...dashboards,
  ...widgets,
  ...projects,
  ...agents,
  ...apiKeys,
  ...tokens,
  ...shareableLinks,
  ...users,
  ...checkouts
]
