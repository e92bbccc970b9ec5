/** The kind of code host whose repositories this machine holds and serves. */
export const LOCAL = "local"

/** Under which path, on the server of this engine, such a repository is cloned; source of both its parts. */
export const REPOSITORIES_PATH = "/repohost/git"
