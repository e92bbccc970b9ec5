/** The pages and their addresses. Filters and other choices are search parameters, so an address can be shared. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect
} from "@tanstack/react-router"
import { callsQuery, type CallSelection } from "./api/calls.js"
import { basePath, connection, queryClient } from "./api/client.js"
import { sessionQuery } from "./api/session.js"
import type { EvaluatorSelection } from "./api/tests.js"
import { Empty, ErrorNotice } from "./components/Feedback.js"
import { Layout } from "./components/Layout.js"
import { Calls } from "./routes/Calls.js"
import { Login } from "./routes/Login.js"
import { readFilter } from "./rules/filter.js"

/** The router loads the whole page again for an error of this text, once; after an outage it may do so again. */
const MISSING = "Failed to fetch dynamically imported module after an outage"

const missing = (): Error => {
  sessionStorage.removeItem(`tanstack_router_reload:${MISSING}`)
  return new TypeError(MISSING)
}

/** A page that is loaded when it is opened, and as soon as the server answers again where it does not. */
const page: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => connection.load(load, missing), name)

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <main className="message">
      <h1>Page not found</h1>
      <p>
        <a className="link" href={`${basePath}/app/`}>
          Go to the calls
        </a>
      </p>
    </main>
  ),
  errorComponent: ({ error, reset }) => (
    <main className="message">
      <ErrorNotice error={error} onRetry={reset} />
    </main>
  )
})

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const asId = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined)

/**
 * Only paths of this app: an address elsewhere would make the sign-in page a redirect for others. Browsers leave out tabs and
 * line breaks of an address, and take a backslash for a slash.
 */
const asPath = (value: unknown): string | undefined => {
  const path = asText(value)
  return path !== undefined && /^\/(?![/\\])\P{Cc}*$/u.test(path) ? path : undefined
}

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly next?: string } => ({
    next: asPath(search.next)
  }),
  component: Login
})

const callSearch = (search: Readonly<Record<string, unknown>>): CallSelection => ({
  filter: readFilter(search.filter) ?? undefined,
  agent: asId(search.agent)
})

const app = createRoute({
  getParentRoute: () => root,
  id: "app",
  beforeLoad: async ({ location }) => {
    // The list that most visits begin with is read beside the session, not after it. The page shows an error of it.
    if (/\/calls\/?$/.test(location.pathname)) {
      queryClient.infiniteQuery(callsQuery(callSearch(location.search))).catch(() => undefined)
    }
    const session = await queryClient.query({ ...sessionQuery, staleTime: "static" })
    // eslint-disable-next-line typescript/only-throw-error -- the router's way to redirect
    if (session === null) throw redirect({ to: "/login", search: { next: location.href } })
  },
  component: Layout,
  notFoundComponent: () => (
    <div className="page">
      <Empty title="Page not found" />
    </div>
  ),
  errorComponent: ({ error, reset }) => (
    <main className="message">
      <ErrorNotice error={error} onRetry={reset} />
    </main>
  )
})

const home = createRoute({
  getParentRoute: () => app,
  path: "/",
  beforeLoad: () => {
    // eslint-disable-next-line typescript/only-throw-error -- the router's way to redirect
    throw redirect({ to: "/calls", search: {}, replace: true })
  }
})

const calls = createRoute({ getParentRoute: () => app, path: "/calls", validateSearch: callSearch, component: Calls })

const call = createRoute({
  getParentRoute: () => app,
  path: "/calls/$id",
  validateSearch: callSearch,
  component: page(() => import("./routes/Call.js"), "CallPage")
})

const dashboards = createRoute({
  getParentRoute: () => app,
  path: "/dashboards",
  component: page(() => import("./routes/Dashboards.js"), "Dashboards")
})

const dashboard = createRoute({
  getParentRoute: () => app,
  path: "/dashboards/$id",
  component: page(() => import("./routes/Dashboard.js"), "DashboardPage")
})

/** Outside of the app: it needs no session, and has no navigation. */
const sharePage = lazyRouteComponent(() => import("./routes/Share.js"), "SharePage")
const share = createRoute({ getParentRoute: () => root, path: "/share", component: sharePage })
const sharedDashboard = createRoute({ getParentRoute: () => root, path: "/share/$id", component: sharePage })

const results = createRoute({
  getParentRoute: () => app,
  path: "/results",
  component: page(() => import("./routes/Results.js"), "Results")
})

const suites = createRoute({
  getParentRoute: () => app,
  path: "/suites",
  component: page(() => import("./routes/Suites.js"), "Suites")
})

const evaluators = createRoute({
  getParentRoute: () => app,
  path: "/evaluators",
  validateSearch: (search: Readonly<Record<string, unknown>>): EvaluatorSelection => ({
    project: asId(search.project),
    folder: asText(search.folder),
    search: asText(search.search)
  }),
  component: page(() => import("./routes/Evaluators.js"), "Evaluators")
})

const inProject = (search: Readonly<Record<string, unknown>>): { readonly project?: number } => ({
  project: asId(search.project)
})

const evaluator = createRoute({
  getParentRoute: () => app,
  path: "/evaluators/$id",
  validateSearch: (search: Readonly<Record<string, unknown>>): Omit<EvaluatorSelection, "search"> => ({
    ...inProject(search),
    folder: asText(search.folder)
  }),
  component: page(() => import("./routes/Evaluator.js"), "EvaluatorPage")
})

const personalities = createRoute({
  getParentRoute: () => app,
  path: "/personalities",
  validateSearch: inProject,
  component: page(() => import("./routes/Personalities.js"), "Personalities")
})

const profiles = createRoute({
  getParentRoute: () => app,
  path: "/profiles",
  validateSearch: inProject,
  component: page(() => import("./routes/Profiles.js"), "Profiles")
})

const result = createRoute({
  getParentRoute: () => app,
  path: "/results/$id",
  component: page(() => import("./routes/Result.js"), "ResultPage")
})

const compare = createRoute({
  getParentRoute: () => app,
  path: "/results/$id/compare/$base",
  component: page(() => import("./routes/Compare.js"), "ComparePage")
})

const run = createRoute({
  getParentRoute: () => app,
  path: "/runs/$id",
  component: page(() => import("./routes/Call.js"), "RunPage")
})

const settings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly tab?: string } => ({
    tab: asText(search.tab)
  }),
  component: page(() => import("./routes/Settings.js"), "Settings")
})

const routeTree = root.addChildren([
  login,
  share,
  sharedDashboard,
  app.addChildren([
    home,
    calls,
    call,
    dashboards,
    dashboard,
    evaluators,
    evaluator,
    personalities,
    profiles,
    suites,
    results,
    result,
    compare,
    run,
    settings
  ])
])

export const router = createRouter({
  routeTree,
  basepath: `${basePath}/app`,
  defaultPreload: "intent",
  scrollRestoration: true
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
