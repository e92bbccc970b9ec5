export { type FakeGitHub, fakeGitHub, type FakeGitHubOptions } from "./FakeGitHub.js"
export { type FakeGitLab, fakeGitLab } from "./FakeGitLab.js"
export type { FakeResponse, FakeHost, FakeOutcome, FakeRequest } from "./FakeHost.js"
export {
  addCommit,
  basic,
  git,
  type GitOptions,
  type GitOutcome,
  runsGitTests,
  makeRepository,
  temporaryFolder
} from "./Git.js"
