import type { Endpoint } from "../Endpoint.js"
import { apiKeys, shareableLinks, tokens, users } from "./Access.js"
import { calls } from "./Calls.js"
import { agents, projects } from "./Catalog.js"
import { checkouts } from "./Checkouts.js"
import { ledger } from "./Credits.js"
import { dashboards, widgets } from "./Dashboards.js"
import { evaluators } from "./Evaluators.js"
import { liveRuns } from "./LiveRuns.js"
import { platforms } from "./Platforms.js"
import { recordings } from "./Recordings.js"
import { results } from "./Results.js"
import { sessions } from "./Sessions.js"
import { simplifications } from "./Simplifications.js"
import { suites } from "./Suites.js"
import { folders, personalities, phoneNumbers, testProfiles, tools } from "./TestCatalog.js"
import { evaluations, jobs, metrics } from "./Metrics.js"
import { traces } from "./Traces.js"

/** All endpoints of the API, one file per subject. */
export const endpoints: ReadonlyArray<Endpoint> = [
  ...calls,
  ...recordings,
  ...platforms,
  ...traces,
  ...evaluations,
  ...metrics,
  ...simplifications,
  ...dashboards,
  ...widgets,
  ...ledger,
  ...projects,
  ...agents,
  ...suites,
  ...results,
  ...liveRuns,
  ...evaluators,
  ...personalities,
  ...testProfiles,
  ...phoneNumbers,
  ...tools,
  ...folders,
  ...sessions,
  ...apiKeys,
  ...tokens,
  ...shareableLinks,
  ...users,
  ...jobs,
  ...checkouts
]
