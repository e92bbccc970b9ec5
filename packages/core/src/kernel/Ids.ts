import * as Schema from "effect/Schema"

/**
 * The largest identifier. Ids are integers in time order; beyond 2^53 - 1 a JSON number is no longer exact.
 */
export const MAX_ID = Number.MAX_SAFE_INTEGER

const id = <Brand extends string>(brand: Brand) =>
  Schema.Int.pipe(Schema.between(1, MAX_ID), Schema.brand(brand)).annotations({
    identifier: brand,
    message: () => ({ message: "A valid integer is required.", override: true })
  })

export const OrganizationId = id("OrganizationId")
export type OrganizationId = typeof OrganizationId.Type

export const UserId = id("UserId")
export type UserId = typeof UserId.Type

export const ApiKeyId = id("ApiKeyId")
export type ApiKeyId = typeof ApiKeyId.Type

export const ShareableLinkId = id("ShareableLinkId")
export type ShareableLinkId = typeof ShareableLinkId.Type

export const BrowserSessionId = id("BrowserSessionId")
export type BrowserSessionId = typeof BrowserSessionId.Type

export const ProjectId = id("ProjectId")
export type ProjectId = typeof ProjectId.Type

export const AgentId = id("AgentId")
export type AgentId = typeof AgentId.Type

export const CodeConnectionId = id("CodeConnectionId")
export type CodeConnectionId = typeof CodeConnectionId.Type

export const IntegrationId = id("IntegrationId")
export type IntegrationId = typeof IntegrationId.Type

export const TraceId = id("TraceId")
export type TraceId = typeof TraceId.Type

export const CheckoutGrantId = id("CheckoutGrantId")
export type CheckoutGrantId = typeof CheckoutGrantId.Type

export const CallId = id("CallId")
export type CallId = typeof CallId.Type

export const LedgerEntryId = id("LedgerEntryId")
export type LedgerEntryId = typeof LedgerEntryId.Type

export const MetricId = id("MetricId")
export type MetricId = typeof MetricId.Type

export const JobId = id("JobId")
export type JobId = typeof JobId.Type

export const DashboardId = id("DashboardId")
export type DashboardId = typeof DashboardId.Type

export const WidgetId = id("WidgetId")
export type WidgetId = typeof WidgetId.Type

export const PersonalityId = id("PersonalityId")
export type PersonalityId = typeof PersonalityId.Type

export const TestProfileId = id("TestProfileId")
export type TestProfileId = typeof TestProfileId.Type

export const PhoneNumberId = id("PhoneNumberId")
export type PhoneNumberId = typeof PhoneNumberId.Type

export const ToolId = id("ToolId")
export type ToolId = typeof ToolId.Type

export const FolderId = id("FolderId")
export type FolderId = typeof FolderId.Type

export const EvaluatorId = id("EvaluatorId")
export type EvaluatorId = typeof EvaluatorId.Type

export const ResultId = id("ResultId")
export type ResultId = typeof ResultId.Type

export const RunId = id("RunId")
export type RunId = typeof RunId.Type
