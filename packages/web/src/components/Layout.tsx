import { useQuery } from "@tanstack/react-query"
import { Link, Outlet } from "@tanstack/react-router"
import { useState, useSyncExternalStore } from "react"
import { basePath, sessionEnd } from "../api/client.js"
import { sessionQuery, signOut } from "../api/session.js"
import { ConnectionBanner } from "./ConnectionBanner.js"
import { Dialog } from "./Dialog.js"
import { removeDrafts } from "./draft.js"
import { Icon, type IconName, Logo } from "./Icon.js"
import { SignInForm } from "./SignInForm.js"
import { nextTheme, setTheme, type Theme, theme } from "./theme.js"

const NAVIGATION: ReadonlyArray<readonly [path: string, name: string, icon: IconName]> = [
  ["/calls", "Calls", "calls"],
  ["/dashboards", "Dashboards", "dashboards"],
  ["/evaluators", "Tests", "tests"],
  ["/suites", "Suites", "play"],
  ["/results", "Results", "results"],
  ["/settings", "Settings", "settings"]
]

const ThemeButton = () => {
  const [current, setCurrent] = useState<Theme>(theme())
  const next = nextTheme(current)
  return (
    <button
      type="button"
      className="nav-item"
      title={`Theme: ${current}. Change to ${next}.`}
      onClick={() => {
        setTheme(next)
        setCurrent(next)
      }}
    >
      <Icon name="sun" />
      <span>Theme: {current}</span>
    </button>
  )
}

/** Every page but the sign-in page: navigation at the side, and a dialog if the session ends. */
export const Layout = () => {
  const session = useQuery(sessionQuery)
  const isExpired = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isExpired)
  return (
    <div className="app">
      <a className="skip button" href="#content">
        Skip to content
      </a>
      <nav className="sidebar" aria-label="Main">
        <Link to="/calls" className="brand" aria-label="Earshot, calls">
          <Logo />
          <span>Earshot</span>
        </Link>
        {NAVIGATION.map(([path, name, icon]) => (
          <Link key={path} to={path} className="nav-item" activeProps={{ "aria-current": "page" }}>
            <Icon name={icon} />
            {name}
          </Link>
        ))}
        <div className="bottom">
          <div className="who truncate plain">{session.data?.organization_name}</div>
          <ThemeButton />
          <button
            type="button"
            className="nav-item"
            title="Sign out"
            onClick={() => {
              void signOut().finally(() => {
                removeDrafts()
                location.assign(`${basePath}/app/login`)
              })
            }}
          >
            <Icon name="out" />
            <span>Sign out</span>
          </button>
        </div>
      </nav>
      <main className="main" id="content" tabIndex={-1}>
        <Outlet />
      </main>
      <ConnectionBanner />
      {isExpired ? (
        <Dialog title="Your session has ended" narrow>
          <p>Sign in again to go on. What you have typed on this page is kept.</p>
          <SignInForm onDone={() => undefined} />
        </Dialog>
      ) : null}
    </div>
  )
}
