import { Link, useSearch } from "@tanstack/react-router"
import "../styles/results.css"
import "../styles/settings.css"
import "../styles/tests.css"
import { Agents } from "./settings/Agents.js"
import { Connections } from "./settings/Connections.js"
import { Credits } from "./settings/Credits.js"
import { Integrations } from "./settings/Integrations.js"
import { Jobs } from "./settings/Jobs.js"
import { Keys } from "./settings/Keys.js"
import { Links } from "./settings/Links.js"
import { Metrics } from "./settings/Metrics.js"

const TABS = {
  agents: ["Agents", Agents],
  metrics: ["Metrics", Metrics],
  keys: ["API keys", Keys],
  links: ["Links", Links],
  integrations: ["Integrations", Integrations],
  connections: ["Code connections", Connections],
  jobs: ["Jobs", Jobs],
  credits: ["Credits", Credits]
} as const

type Tab = keyof typeof TABS

const isTab = (tab: string | undefined): tab is Tab => tab !== undefined && Object.hasOwn(TABS, tab)

export const Settings = () => {
  const { tab } = useSearch({ from: "/app/settings" })
  const chosen: Tab = isTab(tab) ? tab : "keys"
  const [, Shown] = TABS[chosen]
  return (
    <>
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <nav className="tabs settings-tabs" aria-label="Settings">
        {Object.entries(TABS).map(([id, [name]]) => (
          <Link key={id} to="/settings" search={{ tab: id }} {...(id === chosen ? { "aria-current": "page" } : {})}>
            {name}
          </Link>
        ))}
      </nav>
      <div className="page">
        <div className="content stack settings">
          <Shown />
        </div>
      </div>
    </>
  )
}
