import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { NotFound, Receipt } from "../access/AccessErrors.js"
import type { Permit } from "../access/Permit.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import { validatePath } from "../catalog/FolderPathRules.js"
import { Folders } from "../catalog/Folders.js"
import { Personalities } from "../catalog/Personalities.js"
import { PhoneNumbers } from "../catalog/PhoneNumbers.js"
import { Projects } from "../catalog/Projects.js"
import { TestProfiles } from "../catalog/TestProfiles.js"
import { Tools } from "../catalog/Tools.js"
import { decodeInput, type FieldErrors, fieldError, noFieldErrors, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, type EvaluatorId, PhoneNumberId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { Metrics } from "../metrics/Metrics.js"
import { type BulkUpdateInput, bulkReferenceNames, planBulkUpdate, parseBulkUpdate } from "./BulkUpdateRules.js"
import { type Evaluator, MAX_TAG, specOf } from "./Evaluator.js"
import {
  type EvaluatorDraft,
  type EvaluatorInput,
  type EvaluatorPatch,
  evaluatorReferenceNames,
  validateEvaluator,
  parseEvaluatorInput
} from "./EvaluatorRules.js"
import { EvaluatorStore } from "./EvaluatorStore.js"
import type { Found, ReferenceNames, References } from "./References.js"

/** The evaluators of the caller's organization. Inputs are unvalidated; they are validated here. */
export class Evaluators extends Context.Tag("@earshot/core/evaluators/Evaluators")<
  Evaluators,
  {
    /** The writable fields of an Evaluator; `agent`, `name`, `scenario_type` and the instructions are required. */
    readonly create: UseCase<
      "evaluators.create",
      [input: Input<typeof EvaluatorDraft>],
      Evaluator,
      ValidationFailed | StorageError
    >
    /** `{project?, agent?, folder_path?, tag?, search?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<
      "evaluators.list",
      [query: Input<typeof EvaluatorQuery>],
      Pages.Page<Evaluator>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"evaluators.read", [id: EvaluatorId], Evaluator, NotFound | StorageError>
    /** Any of the writable fields; they are merged with the evaluator and validated as a whole. */
    readonly update: UseCase<
      "evaluators.update",
      [id: EvaluatorId, input: Input<typeof EvaluatorPatch>],
      Evaluator,
      ValidationFailed | NotFound | StorageError
    >
    readonly delete: UseCase<"evaluators.delete", [id: EvaluatorId], void, NotFound | StorageError>
    /**
     * Updates many evaluators in one transaction, all or none. It returns the first of them, or with the query
     * `{many: true}` all of them in the order of the request. Source: interface, E4; docs/evaluators.md;
     * `BulkUpdateRules` has the rules.
     */
    readonly bulkUpdate: UseCase<
      "evaluators.bulkUpdate",
      [input: Input<typeof BulkUpdateInput>, query?: Input<typeof BulkUpdateQuery>],
      ReadonlyArray<Evaluator>,
      ValidationFailed | StorageError
    >
    /** An evaluator in the permit's scope, for other use cases. */
    readonly find: (permit: Permit, id: EvaluatorId) => Effect.Effect<Evaluator, NotFound | StorageError>
  }
>() {}

/** The query of a list of evaluators. */
export const EvaluatorQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId)),
  agent: Fields.optional(Fields.id(AgentId)),
  /** Evaluators directly in this folder; blank for the root. */
  folder_path: Fields.optional(Fields.text()),
  tag: Fields.optional(Fields.text({ max: MAX_TAG })),
  /** Case-insensitive text in the name or the instructions. */
  search: Fields.optional(Fields.text({ max: 255 }))
})

/** E4's query: `many=true` returns every updated evaluator. Source: docs/evaluators.md. */
export const BulkUpdateQuery = Fields.object({ many: Fields.withDefault(Fields.boolean, false) })

const inScope = inScopeOrNotFound<Evaluator>("Evaluator", ({ agentId, projectId }) => ({
  project: projectId,
  agent: agentId
}))

export const layer = Layer.effect(
  Evaluators,
  Effect.gen(function* () {
    const store = yield* EvaluatorStore
    const projects = yield* Projects
    const agents = yield* Agents
    const personalities = yield* Personalities
    const testProfiles = yield* TestProfiles
    const phoneNumbers = yield* PhoneNumbers
    const tools = yield* Tools
    const folders = yield* Folders
    const metrics = yield* Metrics
    const work = yield* UnitOfWork

    const find = (permit: Permit, id: EvaluatorId) => inScope(permit, store.find(permit, id))

    /** Looks up the references of an input. `stored` is the project of the evaluator that is updated. */
    const findReferences = (
      permit: Permit,
      names: ReferenceNames,
      stored: ProjectId | null
    ): Effect.Effect<References, StorageError> =>
      Effect.gen(function* () {
        const project =
          stored ??
          (names.project === undefined ? null : ((yield* orNone(projects.find(permit, names.project)))?.id ?? null))
        const agent = names.agent === undefined ? null : yield* orNone(agents.find(permit, names.agent))
        const projectId = project ?? agent?.projectId ?? null
        const folder =
          names.folderPath === undefined
            ? null
            : projectId === null
              ? { id: null, errors: validatePath("folder_path", names.folderPath, "root allowed") }
              : yield* folders.findAtPath(permit, "folder_path", projectId, names.folderPath).pipe(
                  Effect.map((found) => ({ id: found?.id ?? null, errors: noFieldErrors })),
                  Effect.catchTag("ValidationFailed", ({ errors }) => Effect.succeed({ id: null, errors }))
                )
        const numbers = new Map<PhoneNumberId | string, Found<PhoneNumberId>>()
        for (const named of names.phoneNumbers) {
          const found = yield* phoneNumberNamed(permit, named)
          if (found !== null) numbers.set(named, found)
        }
        return {
          projectId,
          agent,
          project,
          personality:
            names.personality === undefined
              ? "enabled"
              : yield* personalities.availability(permit, projectId, names.personality),
          testProfile:
            names.testProfile === undefined ? null : yield* orNone(testProfiles.find(permit, names.testProfile)),
          phoneNumbers: numbers,
          metrics: byId(yield* metrics.findAll(permit, names.metrics)),
          tools: byId(yield* tools.findAll(permit, names.tools)),
          folderId: folder?.id ?? null,
          folderErrors: folder?.errors ?? noFieldErrors
        }
      })

    /** A text is the number itself, or else an id as forms send it. */
    const phoneNumberNamed = (permit: Permit, named: PhoneNumberId | string) =>
      typeof named === "number"
        ? orNone(phoneNumbers.find(permit, named))
        : Effect.flatMap(orNone(phoneNumbers.findNumber(permit, named)), (found) => {
            const id = readPhoneNumberId(named)
            return found !== null || Option.isNone(id)
              ? Effect.succeed(found)
              : orNone(phoneNumbers.find(permit, id.value))
          })

    const validate = (permit: Permit, input: EvaluatorInput) =>
      findReferences(permit, evaluatorReferenceNames(input), input.stored?.projectId ?? null).pipe(
        Effect.flatMap((found) => orFail(validateEvaluator(input, found)))
      )

    return Evaluators.of({
      find,
      create: useCase("evaluators.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const spec = yield* validate(permit, parseEvaluatorInput(null, input))
            return yield* store.insert(permit, spec, yield* DateTime.now)
          })
        )
      ),
      list: useCase("evaluators.list")((permit, query) =>
        Pages.paginate(EvaluatorQuery, query, (page, asked) =>
          store.list(
            permit,
            {
              projectId: asked.project ?? null,
              agentId: asked.agent ?? null,
              folderPath: asked.folder_path ?? null,
              tag: asked.tag ?? null,
              text: asked.search ?? null
            },
            page
          )
        )
      ),
      read: useCase("evaluators.read")(find),
      update: useCase("evaluators.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const evaluator = yield* inScope(permit, store.findForUpdate(permit, id))
            const spec = yield* validate(permit, parseEvaluatorInput(specOf(evaluator), input))
            yield* store.save(permit, id, spec, yield* DateTime.now)
            return yield* find(permit, id)
          })
        )
      ),
      delete: useCase("evaluators.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* inScope(permit, store.findForUpdate(permit, id))
            yield* store.remove(permit, id, yield* DateTime.now)
          })
        )
      ),
      bulkUpdate: useCase("evaluators.bulkUpdate")(
        (permit, input, query = {}) =>
          work.atomicallyInBulk(
            Effect.gen(function* () {
              const { many } = yield* decodeInput(BulkUpdateQuery, query)
              const update = parseBulkUpdate(input)
              const targets = yield* store.findTargetsForUpdate(permit, update.request.scenarios)
              const found = yield* findReferences(permit, bulkReferenceNames(update.request), null)
              const plan = yield* orFail(planBulkUpdate(update, found, targets))
              yield* store.apply(permit, plan, yield* DateTime.now)
              // Checked after the change, which may change the size of the response; a failure rolls it back.
              if (many && (yield* store.sizeOf(permit, plan.evaluators)) > MAX_RESPONSE) {
                return yield* new ValidationFailed({ errors: fieldError("many", TOO_MANY) })
              }
              return yield* store.findAll(permit, many ? plan.evaluators : plan.evaluators.slice(0, 1))
            })
          ),
        (changed, _, query) => ({ receipt: bulkReceipt(changed, query) })
      )
    })
  })
)

/** The ids of a response: one, or a list with `many`. */
const bulkReceipt = (changed: ReadonlyArray<Evaluator>, query: unknown): Receipt => {
  const ids = changed.map(({ id }) => ({ id }))
  const { many } = Either.getOrElse(decodeInput(BulkUpdateQuery, query ?? {}), () => ({ many: false }))
  return many ? ids : (ids[0] ?? {})
}

/** The most characters of text in a response with many evaluators, so that one does not exhaust the memory. */
const MAX_RESPONSE = 32_000_000

const TOO_MANY = `The response would exceed ${MAX_RESPONSE} characters: use fewer scenarios, or leave out many.`

const readPhoneNumberId = Schema.decodeUnknownOption(Fields.id(PhoneNumberId))

const orFail = <A>(validated: Either.Either<A, FieldErrors>): Either.Either<A, ValidationFailed> =>
  Either.mapLeft(validated, (errors) => new ValidationFailed({ errors }))

/** Null for what is not found, for callers that report it together with other errors. */
const orNone = <A>(found: Effect.Effect<A, NotFound | StorageError>): Effect.Effect<A | null, StorageError> =>
  Effect.catchTag(found, "NotFound", () => Effect.succeed(null))

const byId = <Id extends number, A extends Found<Id>>(all: ReadonlyArray<A>): ReadonlyMap<Id, A> =>
  new Map(all.map((one) => [one.id, one]))
