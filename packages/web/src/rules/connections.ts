/** Kinds of code hosts, with the settings of each. Source: docs/checkout.md. */

export type HostKind = "github" | "gitlab" | "local"

interface Setting {
  readonly key: string
  readonly name: string
  readonly hint: string
  readonly isOptional?: boolean
}

interface HostText {
  readonly name: string
  readonly settings: ReadonlyArray<Setting>
  /** What the secret is; undefined where there is none. */
  readonly secret?: { readonly name: string; readonly hint: string; readonly isLong: boolean }
  readonly steps: ReadonlyArray<string>
}

const baseUrl = (name: string): Setting => ({
  key: "base_url",
  name: "Address of the API",
  hint: `Blank for ${name}.`,
  isOptional: true
})

export const HOSTS: Readonly<Record<HostKind, HostText>> = {
  github: {
    name: "GitHub",
    settings: [
      { key: "app_id", name: "App id", hint: "On the page of the GitHub App." },
      { key: "installation_id", name: "Installation id", hint: "The number at the end of the installation's address." },
      { key: "owner", name: "Owner", hint: "The account that owns the repositories." },
      baseUrl("https://api.github.com")
    ],
    secret: { name: "Private key", hint: "The .pem file that GitHub made for the app.", isLong: true },
    steps: [
      "Create a GitHub App in the account that owns the repositories, with the repository permission Contents: Read-only and nothing else.",
      "Generate a private key, and install the app on selected repositories: those are available for checkouts."
    ]
  },
  gitlab: {
    name: "GitLab",
    settings: [
      { key: "namespace", name: "Namespace", hint: "Path of the group or user, such as harbor/dental." },
      baseUrl("https://gitlab.com")
    ],
    secret: { name: "Access token", hint: "With the scope api and the role Maintainer.", isLong: false },
    steps: ["Create an access token of the group, or of the user if the projects are the user's."]
  },
  local: {
    name: "Folder of the server",
    settings: [],
    steps: ["Start the server with --repositories FOLDER. Repositories are FOLDER/ORGANIZATION ID/NAME.git, mirrored."]
  }
}

export const HOST_NAMES: ReadonlyArray<readonly [HostKind, string]> = [
  ["github", HOSTS.github.name],
  ["gitlab", HOSTS.gitlab.name],
  ["local", HOSTS.local.name]
]

const isKind = (host: string): host is HostKind => Object.hasOwn(HOSTS, host)

/** The name of a kind of host; one of the embedding program's has its own. */
export const hostName = (host: string): string => (isKind(host) ? HOSTS[host].name : host)

/** A connection as its form holds it. The secret is beside it, since forms are kept in the browser. */
export interface ConnectionForm {
  readonly host: HostKind
  readonly name: string
  /** Every setting that was typed, of other kinds of hosts too. */
  readonly settings: Readonly<Record<string, string>>
}

export const NEW_CONNECTION: ConnectionForm = { host: "github", name: "", settings: {} }

/** The settings of the chosen kind of host; blank ones are left out. */
export const settingsOf = ({ host, settings }: ConnectionForm): Record<string, string> =>
  Object.fromEntries(
    HOSTS[host].settings.flatMap(({ key }): ReadonlyArray<[string, string]> => {
      const value = settings[key]?.trim() ?? ""
      return value === "" ? [] : [[key, value]]
    })
  )

/** Whether everything that has to be there is there. */
export const isComplete = (form: ConnectionForm, secret: string): boolean => {
  const { secret: needed, settings } = HOSTS[form.host]
  const given = settingsOf(form)
  return (
    settings.every(({ isOptional, key }) => isOptional === true || given[key] !== undefined) &&
    (needed === undefined || secret.trim() !== "")
  )
}
