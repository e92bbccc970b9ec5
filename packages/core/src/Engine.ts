/**
 * The engine: every service wired to its stores. It needs a storage layer (`@earshot/core/sqlite` or
 * `@earshot/core/postgres`) and takes every other port with a working default.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentActor, hostActor } from "./access/Actor.js"
import * as ApiKeys from "./access/ApiKeys.js"
import * as BrowserSessions from "./access/BrowserSessions.js"
import * as Credentials from "./access/Credentials.js"
import type { RateLimiter } from "./access/RateLimiter.js"
import * as SecretBox from "./access/SecretBox.js"
import * as ShareableLinks from "./access/ShareableLinks.js"
import * as SigningKeys from "./access/SigningKeys.js"
import * as Tokens from "./access/Tokens.js"
import * as Users from "./access/Users.js"
import * as Analytics from "./analytics/Analytics.js"
import * as ColumnStoreHealth from "./analytics/ColumnStoreHealth.js"
import * as FreshAnalytics from "./analytics/FreshAnalytics.js"
import type { ColumnStore } from "./analytics/Projection.js"
import * as Projections from "./analytics/Projections.js"
import type { ResourceNames } from "./analytics/ResourceNames.js"
import type { BlobStore } from "./calls/BlobStore.js"
import * as CallEvaluations from "./calls/CallEvaluations.js"
import * as CallRecordings from "./calls/CallRecordings.js"
import * as Calls from "./calls/Calls.js"
import * as TracedCalls from "./calls/TracedCalls.js"
import * as PlatformWebhooks from "./calls/PlatformWebhooks.js"
import * as Recordings from "./calls/Recordings.js"
import type { RecordingSource } from "./calls/RecordingSource.js"
import * as Transcriber from "./calls/Transcriber.js"
import * as AgentDirectory from "./catalog/AgentDirectory.js"
import * as Agents from "./catalog/Agents.js"
import * as Folders from "./catalog/Folders.js"
import * as Organizations from "./catalog/Organizations.js"
import * as Personalities from "./catalog/Personalities.js"
import * as PhoneNumbers from "./catalog/PhoneNumbers.js"
import * as ProjectDeletion from "./catalog/ProjectDeletion.js"
import * as Projects from "./catalog/Projects.js"
import * as Ledger from "./credits/Ledger.js"
import * as TestProfiles from "./catalog/TestProfiles.js"
import * as Tools from "./catalog/Tools.js"
import * as CheckoutReleases from "./checkouts/CheckoutReleases.js"
import * as Checkouts from "./checkouts/Checkouts.js"
import * as CodeConnections from "./checkouts/CodeConnections.js"
import type { CodeHosts as CodeHostsPort } from "./checkouts/CodeHost.js"
import * as Repositories from "./checkouts/Repositories.js"
import type { RepositoryServer } from "./checkouts/RepositoryServer.js"
import * as Secrets from "./checkouts/Secrets.js"
import * as Vault from "./checkouts/Vault.js"
import * as Dashboards from "./dashboards/Dashboards.js"
import * as Widgets from "./dashboards/Widgets.js"
import * as Evaluators from "./evaluators/Evaluators.js"
import { CacheTtl } from "./kernel/TtlCache.js"
import { PageBytes } from "./kernel/Pages.js"
import type { UnitOfWork } from "./kernel/Storage.js"
import type { Readiness } from "./kernel/Readiness.js"
import * as JobSignal from "./jobs/JobSignal.js"
import * as JobQueue from "./jobs/JobQueue.js"
import * as JobRunner from "./jobs/JobRunner.js"
import * as Jobs from "./jobs/Jobs.js"
import * as LanguageModel from "./language/LanguageModel.js"
import * as Evaluations from "./metrics/Evaluations.js"
import * as Scorer from "./metrics/Scorer.js"
import * as Metrics from "./metrics/Metrics.js"
import type { Sandbox } from "./metrics/Sandbox.js"
import * as CodeHosts from "./providers/CodeHosts.js"
import * as FileBlobStore from "./providers/FileBlobStore.js"
import * as HttpChatAgent from "./providers/HttpChatAgent.js"
import * as HttpRecordingSource from "./providers/HttpRecordingSource.js"
import * as OutboundHttp from "./providers/OutboundHttp.js"
import * as WebSocketVoiceConnections from "./providers/WebSocketVoiceConnections.js"
import type { AudioProbe } from "./calls/AudioProbe.js"
import * as AudioThreads from "./providers/AudioThreads.js"
import * as RedactionThreads from "./providers/RedactionThreads.js"
import type { RecordingAudio } from "./calls/RecordingAudio.js"
import type { RedactionWork } from "./calls/RedactionWork.js"
import * as MusicMetadataProbe from "./providers/MusicMetadataProbe.js"
import * as QuickJsSandbox from "./providers/QuickJsSandbox.js"
import { type NerProvider, nerProviderNone } from "@earshot/redaction"
import * as IntegrationSecrets from "./platforms/IntegrationSecrets.js"
import * as Integrations from "./platforms/Integrations.js"
import * as RedactingIntegrations from "./platforms/RedactingIntegrations.js"
import * as PromptSimplifier from "./simplification/PromptSimplifier.js"
import * as Simplifications from "./simplification/Simplifications.js"
import * as AgentStoreSql from "./storage/sql/AgentStoreSql.js"
import * as AnalyticsStoreSql from "./storage/sql/AnalyticsStoreSql.js"
import * as ResourceNamesSql from "./storage/sql/ResourceNamesSql.js"
import * as ResourceScopeStoreSql from "./storage/sql/ResourceScopeStoreSql.js"
import * as CallEvaluationStoreSql from "./storage/sql/CallEvaluationStoreSql.js"
import * as CallFacetStoreSql from "./storage/sql/CallFacetStoreSql.js"
import * as CallStoreSql from "./storage/sql/CallStoreSql.js"
import * as CheckoutGrantStoreSql from "./storage/sql/CheckoutGrantStoreSql.js"
import * as CodeConnectionStoreSql from "./storage/sql/CodeConnectionStoreSql.js"
import * as DashboardStoreSql from "./storage/sql/DashboardStoreSql.js"
import type { Dialect } from "./storage/sql/Dialect.js"
import type { Snapshots } from "./storage/sql/Reads.js"
import * as EvaluationStoreSql from "./storage/sql/EvaluationStoreSql.js"
import * as IntegrationStoreSql from "./storage/sql/IntegrationStoreSql.js"
import * as JobStoreSql from "./storage/sql/JobStoreSql.js"
import * as LedgerStoreSql from "./storage/sql/LedgerStoreSql.js"
import * as EvaluatorStoreSql from "./storage/sql/EvaluatorStoreSql.js"
import * as FolderStoreSql from "./storage/sql/FolderStoreSql.js"
import * as MetricStoreSql from "./storage/sql/MetricStoreSql.js"
import * as Migrations from "./storage/sql/Migrations.js"
import * as OrganizationStoreSql from "./storage/sql/OrganizationStoreSql.js"
import * as PendingBlobStoreSql from "./storage/sql/PendingBlobStoreSql.js"
import * as RecordingStoreSql from "./storage/sql/RecordingStoreSql.js"
import * as ReadinessSql from "./storage/sql/ReadinessSql.js"
import * as PersonalityStoreSql from "./storage/sql/PersonalityStoreSql.js"
import * as PhoneNumberStoreSql from "./storage/sql/PhoneNumberStoreSql.js"
import * as ProjectionFeedSql from "./storage/sql/ProjectionFeedSql.js"
import * as ProjectPurgeStoreSql from "./storage/sql/ProjectPurgeStoreSql.js"
import * as ProjectStoreSql from "./storage/sql/ProjectStoreSql.js"
import * as ResultStoreSql from "./storage/sql/ResultStoreSql.js"
import * as RevokedTokenStoreSql from "./storage/sql/RevokedTokenStoreSql.js"
import * as SecretCredentialStoreSql from "./storage/sql/SecretCredentialStoreSql.js"
import * as SigningKeyStoreSql from "./storage/sql/SigningKeyStoreSql.js"
import * as SignInLinkStoreSql from "./storage/sql/SignInLinkStoreSql.js"
import * as SimplificationStoreSql from "./storage/sql/SimplificationStoreSql.js"
import * as TraceStoreSql from "./storage/sql/TraceStoreSql.js"
import * as TestProfileStoreSql from "./storage/sql/TestProfileStoreSql.js"
import * as ToolStoreSql from "./storage/sql/ToolStoreSql.js"
import { PlayedChannels } from "./results/PlayedChannels.js"
import * as Results from "./results/Results.js"
import * as RunWork from "./results/RunWork.js"
import type { ChatAgent } from "./simulation/ChatAgent.js"
import { firstOf, RunExecutor } from "./simulation/RunExecutor.js"
import * as RunTranscription from "./simulation/RunTranscription.js"
import * as Simulations from "./simulation/Simulations.js"
import * as TextExecutor from "./simulation/TextExecutor.js"
import type { TextToSpeech } from "./simulation/voice/TextToSpeech.js"
import type { VoiceConnections } from "./simulation/voice/VoiceConnection.js"
import * as LiveRuns from "./simulation/LiveRuns.js"
import * as VoiceChecks from "./simulation/VoiceChecks.js"
import * as VoiceExecutor from "./simulation/VoiceExecutor.js"
import * as RunWorkStoreSql from "./storage/sql/RunWorkStoreSql.js"
import * as Suites from "./suites/Suites.js"
import * as RedactSpans from "./traces/RedactSpans.js"
import * as Traces from "./traces/Traces.js"
import * as UserStoreSql from "./storage/sql/UserStoreSql.js"
import * as WidgetStoreSql from "./storage/sql/WidgetStoreSql.js"

/** What a storage layer provides. */
export type Storage = SqlClient | Dialect | Snapshots | UnitOfWork

/** The services that a program calls. */
export type Services =
  | ApiKeys.ApiKeys
  | ShareableLinks.ShareableLinks
  | BrowserSessions.BrowserSessions
  | Tokens.Tokens
  | SigningKeys.SigningKeys
  | Users.Users
  | Credentials.Credentials
  | Projects.Projects
  | Agents.Agents
  | Organizations.Organizations
  | Personalities.Personalities
  | TestProfiles.TestProfiles
  | PhoneNumbers.PhoneNumbers
  | Tools.Tools
  | Folders.Folders
  | Evaluators.Evaluators
  | Suites.Suites
  | Results.Results
  | LiveRuns.LiveRuns
  | VoiceChecks.VoiceChecks
  | Calls.Calls
  | PlatformWebhooks.PlatformWebhooks
  | Recordings.Recordings
  | CallRecordings.CallRecordings
  | Integrations.Integrations
  | Traces.Traces
  | Metrics.Metrics
  | Dashboards.Dashboards
  | Widgets.Widgets
  | Jobs.Jobs
  | Ledger.Ledger
  | CallEvaluations.CallEvaluations
  | Simplifications.Simplifications
  | JobRunner.JobRunner
  | Readiness
  | Projections.Projections
  | CodeConnections.CodeConnections
  | Secrets.Secrets
  | Checkouts.Checkouts
  | Repositories.Repositories

/** The replaceable ports, each with a working default. */
export interface Ports {
  /** Stores recordings. Default: files under `earshot-recordings` in the working directory. */
  readonly blobs?: Layer.Layer<BlobStore, never, OutboundHttp.OutboundHttp>
  /** When recordings that nothing refers to are removed from the blob store. */
  readonly recordingStorage?: Recordings.RecordingsConfig
  /**
   * Hosts in private networks that may be called, by everything that calls out: recordings, agents under test, code hosts.
   * See `OutboundHttpConfig`. Default: none, so that addresses from outside have to be public.
   */
  readonly allowHosts?: ReadonlyArray<string>
  /** Downloads recordings that are given as URLs. Default: over HTTP. */
  readonly recordings?: Layer.Layer<RecordingSource, never, OutboundHttp.OutboundHttp>
  /** Makes transcripts of audio. Default: none. */
  readonly transcriber?: Layer.Layer<Transcriber.Transcriber, never, OutboundHttp.OutboundHttp>
  /** Runs the custom code of metrics. Default: QuickJS in worker threads of this process. */
  readonly sandbox?: Layer.Layer<Sandbox>
  /** The language model that judges and simplifies. Default: none, and what needs one is skipped or done by rules. */
  readonly languageModel?: Layer.Layer<LanguageModel.LanguageModel, never, OutboundHttp.OutboundHttp>
  readonly evaluation?: CallEvaluations.EvaluationConfig
  /** Sends messages to agents that are tested by text. Default: over HTTP. */
  readonly chatAgents?: Layer.Layer<ChatAgent, never, OutboundHttp.OutboundHttp>
  /** Speaks for the testing agent in runs by voice, which need a transcriber as well. Default: none. */
  readonly textToSpeech?: Layer.Layer<TextToSpeech, never, OutboundHttp.OutboundHttp>
  /** Calls agents that are tested by voice. Default: over WebSocket. */
  readonly voiceConnections?: Layer.Layer<VoiceConnections, never, OutboundHttp.OutboundHttp>
  /**
   * Executes runs inside the engine. Default: the text channel, and the voice channel with text to speech and a transcriber.
   * `runExecutorNone` leaves all runs to external workers.
   */
  readonly runExecutor?: Layer.Layer<RunExecutor, never, ChatAgent | LanguageModel.LanguageModel>
  readonly simulation?: Simulations.SimulationConfig &
    TextExecutor.TextExecutorConfig & { readonly voice?: VoiceExecutor.VoiceExecutorConfig }
  /** Settings of `JobRunner`, which runs no job before `run` or `drain` is called. */
  readonly jobs?: JobRunner.JobRunnerConfig
  /** Works on the audio of recordings. Default: in threads. */
  readonly recordingAudio?: Layer.Layer<RecordingAudio>
  /** Redacts transcripts and documents. Default: in steps, and long ones in threads. */
  readonly redactionWork?: Layer.Layer<RedactionWork>
  /** Reads the durations of recordings. Default: `music-metadata`. */
  readonly audioProbe?: Layer.Layer<AudioProbe>
  /** The host's own model for finding sensitive data, in addition to the rules. Default: none. */
  readonly ner?: Layer.Layer<NerProvider, never, OutboundHttp.OutboundHttp>
  readonly ingest?: Calls.IngestConfig
  /** When calls of OpenTelemetry spans are stored. */
  readonly traces?: Traces.TraceConfig
  /** The kinds of code hosts that repositories are checked out from. Default: `github` and `gitlab`. */
  readonly codeHosts?: Layer.Layer<CodeHostsPort | RepositoryServer, never, OutboundHttp.OutboundHttp>
  /** Seals stored secrets: code hosts' keys, chat endpoints' headers. Default: none, and secrets are rejected. */
  readonly secretBox?: Layer.Layer<SecretBox.SecretBox>
  /** Limits requests and failed logins per caller. Default: no limits. */
  readonly rateLimiter?: Layer.Layer<RateLimiter, never, Storage>
  /** How long this process may serve cached reads after another process has changed the data. Default: 5 seconds. */
  readonly cacheTtl?: Duration.DurationInput
  /** Bytes of stored documents on a page of a list, at which it ends early. Default: 4 MB. */
  readonly pageBytes?: number
  /**
   * A column store that answers charts in place of the database, where it has all that was committed before the question.
   * Default: none.
   */
  readonly analytics?: Layer.Layer<ColumnStore, never, ResourceNames | OutboundHttp.OutboundHttp>
  readonly projection?: Projections.ProjectionsConfig & FreshAnalytics.FreshAnalyticsConfig
}

/** Every store in SQL, for programs and tests that use the ports directly. */
export const stores = Layer.mergeAll(
  SecretCredentialStoreSql.apiKeys,
  SecretCredentialStoreSql.shareableLinks,
  SecretCredentialStoreSql.browserSessions,
  SignInLinkStoreSql.layer,
  RevokedTokenStoreSql.layer,
  SigningKeyStoreSql.layer,
  UserStoreSql.layer,
  ResourceScopeStoreSql.layer,
  OrganizationStoreSql.layer,
  ProjectStoreSql.layer,
  AgentStoreSql.layer,
  PersonalityStoreSql.layer,
  TestProfileStoreSql.layer,
  PhoneNumberStoreSql.layer,
  ToolStoreSql.layer,
  FolderStoreSql.layer,
  EvaluatorStoreSql.layer,
  ResultStoreSql.layer,
  RunWorkStoreSql.layer,
  CallStoreSql.layer,
  CallEvaluationStoreSql.layer,
  CallFacetStoreSql.layer,
  MetricStoreSql.layer,
  EvaluationStoreSql.layer,
  SimplificationStoreSql.layer,
  JobStoreSql.layer,
  DashboardStoreSql.layer,
  WidgetStoreSql.layer,
  AnalyticsStoreSql.layer,
  ProjectionFeedSql.layer,
  ResourceNamesSql.layer,
  LedgerStoreSql.layer,
  CodeConnectionStoreSql.layer,
  CheckoutGrantStoreSql.layer,
  PendingBlobStoreSql.layer,
  RecordingStoreSql.layer,
  ProjectPurgeStoreSql.layer,
  IntegrationStoreSql.layer,
  TraceStoreSql.layer
)

const access = Credentials.layer.pipe(
  Layer.provideMerge(BrowserSessions.layer),
  Layer.provideMerge(Layer.mergeAll(ApiKeys.layer, ShareableLinks.layer, Tokens.layer, Users.layer)),
  Layer.provideMerge(SigningKeys.layer)
)

const catalog = Organizations.layer.pipe(
  Layer.provideMerge(Agents.layer),
  Layer.provideMerge(Projects.layer),
  Layer.provide(AgentDirectory.layer)
)

/** Charts, answered by the column store if there is one, and the projection of calls in it. */
const dashboards = ({ analytics, projection }: Ports) => {
  const services = Layer.mergeAll(Dashboards.layer, Widgets.layer).pipe(Layer.provide(Analytics.layer))
  if (analytics === undefined) return Layer.merge(services, Projections.layer(projection))
  return Layer.merge(
    services.pipe(Layer.provide(FreshAnalytics.layer(projection))),
    Projections.layer(projection)
  ).pipe(Layer.provide(ColumnStoreHealth.layer.pipe(Layer.provideMerge(analytics))))
}

const evaluation = Evaluations.layer.pipe(
  Layer.provideMerge(Metrics.layer),
  Layer.provideMerge(Ledger.layer),
  Layer.provideMerge(Scorer.layer)
)

const simplification = Simplifications.layer.pipe(Layer.provide(PromptSimplifier.layer))

/** The job runner; a subject with jobs adds its handler here. */
const runner = (config: JobRunner.JobRunnerConfig | undefined) =>
  Layer.effect(
    JobRunner.JobRunner,
    Effect.gen(function* () {
      const evaluations = yield* CallEvaluations.CallEvaluations
      const simplifications = yield* Simplifications.Simplifications
      const simulations = yield* Simulations.Simulations
      const results = yield* Results.Results
      const releases = yield* CheckoutReleases.CheckoutReleases
      const integrations = yield* Integrations.Integrations
      const traces = yield* Traces.Traces
      const watchSchema = yield* Migrations.watch
      const recordings = yield* Recordings.Recordings
      const projections = yield* Projections.Projections
      const { handler: peaks } = yield* CallRecordings.CallRecordings
      const deletion = yield* ProjectDeletion.makeHandler((organization, ids) =>
        results.bulkDelete({ result_ids: ids }).pipe(
          Effect.provideService(CurrentActor, hostActor(organization)),
          // The host may delete results, and these are at most a hundred ids of results.
          Effect.catchTags({ ValidationFailed: Effect.die, Forbidden: Effect.die, Unauthenticated: Effect.die })
        )
      )
      return yield* JobRunner.make(
        [
          ...evaluations.handlers,
          simplifications.handler,
          ...simulations.handlers,
          ...traces.handlers,
          deletion,
          peaks
        ],
        config,
        [
          { failure: "Failed to reclaim expired run leases", every: "5 seconds", run: results.sweep },
          { failure: "Failed to release expired checkout tokens", every: "30 seconds", run: releases.releaseDue() },
          { failure: "Failed to close traces", every: "10 minutes", run: traces.expire },
          { failure: "Failed to delete expired webhook signatures", every: "5 minutes", run: integrations.purge },
          { failure: "Failed to compare the database's version", every: "1 minute", run: watchSchema },
          { failure: "Failed to remove recordings without calls", every: "10 minutes", run: recordings.collect },
          { failure: "Failed to project calls", every: "100 millis", run: projections.project },
          { failure: "Failed to look for an unused column store", every: "10 minutes", run: projections.stopUnused }
        ]
      )
    })
  )

/** What evaluators refer to besides projects, agents and metrics. */
const testCatalog = Layer.mergeAll(
  Personalities.layer,
  TestProfiles.layer,
  PhoneNumbers.layer,
  Tools.layer,
  Folders.layer
)

const checkouts = Layer.mergeAll(CodeConnections.layer, Secrets.layer, Checkouts.layer, Repositories.layer).pipe(
  Layer.provideMerge(CheckoutReleases.layer),
  Layer.provide(Vault.layer),
  Layer.provide(IntegrationSecrets.layer)
)

const evaluators = Layer.merge(Evaluators.layer, Suites.layer).pipe(
  Layer.provideMerge(Layer.merge(testCatalog, Results.layer))
)

const executor = ({ runExecutor, simulation, textToSpeech }: Ports) => {
  if (runExecutor !== undefined) return runExecutor
  if (textToSpeech === undefined) return TextExecutor.layer(simulation)
  return Layer.effect(
    RunExecutor,
    Effect.map(Effect.all([TextExecutor.make(simulation), VoiceExecutor.make(simulation?.voice)]), firstOf)
  ).pipe(Layer.provide(textToSpeech))
}

/** Suites, results, and the execution and scoring of runs. */
const testing = (ports: Ports) =>
  Layer.merge(
    Simulations.layer(ports.simulation),
    VoiceChecks.layer.pipe(Layer.provide(ports.textToSpeech ?? Layer.empty))
  ).pipe(
    Layer.provideMerge(LiveRuns.layer),
    Layer.provideMerge(evaluators),
    Layer.provide(RunWork.layer),
    Layer.provide(RunTranscription.layer),
    Layer.provide(
      Layer.effect(
        PlayedChannels,
        Effect.map(RunExecutor, ({ channels, shared }) => (shared === undefined ? { channels } : { channels, shared }))
      )
    ),
    Layer.provide(executor(ports).pipe(Layer.provide(ports.chatAgents ?? HttpChatAgent.layer()))),
    Layer.provide(ports.voiceConnections ?? WebSocketVoiceConnections.layer())
  )

/** Calls, and what they are ingested from besides their own endpoint. */
const ingestion = (ports: Ports) =>
  Layer.merge(PlatformWebhooks.layer, Traces.layer(ports.traces, ports.ingest?.redaction)).pipe(
    Layer.provide(Layer.merge(TracedCalls.layer, RedactingIntegrations.layer)),
    Layer.provideMerge(Calls.layer(ports.ingest)),
    Layer.provide(RedactSpans.layer),
    Layer.provide(ports.ner ?? nerProviderNone),
    Layer.provide(ports.audioProbe ?? MusicMetadataProbe.layer())
  )

/** The engine with some of its ports replaced. */
export const layerWith = (ports: Ports): Layer.Layer<Services, never, Storage> =>
  runner(ports.jobs).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        ingestion(ports),
        CallEvaluations.layer({ redaction: ports.ingest?.redaction, ...ports.evaluation }),
        simplification,
        testing(ports)
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        Recordings.layer(ports.recordingStorage),
        CallRecordings.layer,
        ReadinessSql.layer,
        Integrations.layer
      )
    ),
    Layer.provide(
      Layer.merge(ports.recordingAudio ?? AudioThreads.layer(), ports.redactionWork ?? RedactionThreads.layer())
    ),
    Layer.provide(ports.blobs ?? FileBlobStore.layer({ directory: "earshot-recordings" })),
    Layer.provideMerge(Layer.merge(dashboards(ports), Jobs.layer)),
    Layer.provideMerge(evaluation),
    Layer.provideMerge(Layer.provide(checkouts, ports.codeHosts ?? CodeHosts.layer())),
    Layer.provideMerge(catalog),
    Layer.provide(JobQueue.layer),
    Layer.provideMerge(access),
    Layer.provide(ports.secretBox ?? SecretBox.layerNone),
    Layer.provide(ports.sandbox ?? QuickJsSandbox.layer()),
    Layer.provide(ports.recordings ?? HttpRecordingSource.layer()),
    Layer.provide(ports.transcriber ?? Transcriber.layerNone),
    Layer.provide(ports.languageModel ?? LanguageModel.layerNone),
    Layer.provide(OutboundHttp.layer(ports.allowHosts === undefined ? {} : { allowHosts: ports.allowHosts })),
    Layer.provide(Layer.merge(JobSignal.layer, stores)),
    Layer.provide(ports.rateLimiter ?? Layer.empty),
    Layer.provide(ports.pageBytes === undefined ? Layer.empty : Layer.succeed(PageBytes, ports.pageBytes)),
    Layer.provide(ports.cacheTtl === undefined ? Layer.empty : Layer.succeed(CacheTtl, Duration.decode(ports.cacheTtl)))
  )

export const layer: Layer.Layer<Services, never, Storage> = layerWith({})
