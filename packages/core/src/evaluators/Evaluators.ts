import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { NotFound } from "../access/AccessErrors.js"
import { type Permit, reaches } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import { pathFaults } from "../catalog/FolderPathRules.js"
import { Folders } from "../catalog/Folders.js"
import { Personalities } from "../catalog/Personalities.js"
import { PhoneNumbers } from "../catalog/PhoneNumbers.js"
import { Projects } from "../catalog/Projects.js"
import { TestProfiles } from "../catalog/TestProfiles.js"
import { Tools } from "../catalog/Tools.js"
import { decodeInput, type Faults, fault, noFaults, ValidationFailed } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, type EvaluatorId, PhoneNumberId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { Metrics } from "../metrics/Metrics.js"
import { bulkReferenceNames, planBulkUpdate, readBulkUpdate } from "./BulkUpdateRules.js"
import { type Evaluator, MAX_TAG, specOf } from "./Evaluator.js"
import { type EvaluatorReading, evaluatorReferenceNames, judgeEvaluator, readEvaluator } from "./EvaluatorRules.js"
import { EvaluatorStore } from "./EvaluatorStore.js"
import type { Found, ReferenceNames, References } from "./References.js"

/** The evaluators of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Evaluators extends Context.Tag("@earshot/core/evaluators/Evaluators")<
  Evaluators,
  {
    /** The writable fields of an Evaluator; `agent`, `name`, `scenario_type` and the instructions are required. */
    readonly create: UseCase<"evaluators.create", [input: unknown], Evaluator, ValidationFailed | StorageFault>
    /** `{project?, agent?, folder_path?, tag?, search?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<"evaluators.list", [query: unknown], Pages.Page<Evaluator>, ValidationFailed | StorageFault>
    readonly read: UseCase<"evaluators.read", [id: EvaluatorId], Evaluator, NotFound | StorageFault>
    /** Any of the writable fields, laid over the evaluator; the whole is judged. */
    readonly update: UseCase<
      "evaluators.update",
      [id: EvaluatorId, input: unknown],
      Evaluator,
      ValidationFailed | NotFound | StorageFault
    >
    readonly delete: UseCase<"evaluators.delete", [id: EvaluatorId], void, NotFound | StorageFault>
    /**
     * Changes many evaluators in one transaction, all of them or none. It answers the first of those named, or with
     * `{many: true}` as the query all of them in the order they were named. Source: interface, E4; design, section 3;
     * `BulkUpdateRules` has the rules.
     */
    readonly bulkUpdate: UseCase<
      "evaluators.bulkUpdate",
      [input: unknown, query?: unknown],
      ReadonlyArray<Evaluator>,
      ValidationFailed | StorageFault
    >
    /** An evaluator that another use case was given the id of, when it is within the permit's reach. */
    readonly find: (permit: Permit, id: EvaluatorId) => Effect.Effect<Evaluator, NotFound | StorageFault>
  }
>() {}

/** What a list of evaluators takes. */
export const EvaluatorQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId)),
  agent: Fields.optional(Fields.id(AgentId)),
  /** Those in this very folder; blank for those in none. */
  folder_path: Fields.optional(Fields.text()),
  tag: Fields.optional(Fields.text({ max: MAX_TAG })),
  /** A part of the name or the instructions, in any case. */
  search: Fields.optional(Fields.text({ max: 255 }))
})

/** How E4 answers: `many=true` asks for every evaluator that was changed. Source: design, section 3. */
export const BulkUpdateQuery = Fields.object({ many: Fields.withDefault(Fields.boolean, false) })

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

    const within = (permit: Permit, found: Effect.Effect<Option.Option<Evaluator>, StorageFault>) =>
      found.pipe(
        Effect.flatten,
        Effect.filterOrFail(({ agentId, projectId }) => reaches(permit, { project: projectId, agent: agentId })),
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "Evaluator" }))
      )
    const find = (permit: Permit, id: EvaluatorId) => within(permit, store.find(permit, id))

    /** What an input names, as far as it is there. `stored` is the project of the evaluator that is changed. */
    const lookUp = (
      permit: Permit,
      names: ReferenceNames,
      stored: ProjectId | null
    ): Effect.Effect<References, StorageFault> =>
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
              ? { id: null, faults: pathFaults("folder_path", names.folderPath, "root allowed") }
              : yield* folders.named(permit, "folder_path", projectId, names.folderPath).pipe(
                  Effect.map((found) => ({ id: found?.id ?? null, faults: noFaults })),
                  Effect.catchTag("ValidationFailed", ({ faults }) => Effect.succeed({ id: null, faults }))
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
              : yield* personalities.standing(permit, projectId, names.personality),
          testProfile:
            names.testProfile === undefined ? null : yield* orNone(testProfiles.find(permit, names.testProfile)),
          phoneNumbers: numbers,
          metrics: byId(yield* metrics.among(permit, names.metrics)),
          tools: byId(yield* tools.among(permit, names.tools)),
          folderId: folder?.id ?? null,
          folderFaults: folder?.faults ?? noFaults
        }
      })

    /** A text is the number itself, or else, if it could be one, an id as a form sends it. */
    const phoneNumberNamed = (permit: Permit, named: PhoneNumberId | string) =>
      typeof named === "number"
        ? orNone(phoneNumbers.find(permit, named))
        : Effect.flatMap(orNone(phoneNumbers.findNumber(permit, named)), (found) => {
            const id = readPhoneNumberId(named)
            return found !== null || Option.isNone(id)
              ? Effect.succeed(found)
              : orNone(phoneNumbers.find(permit, id.value))
          })

    const judged = (permit: Permit, reading: EvaluatorReading) =>
      lookUp(permit, evaluatorReferenceNames(reading), reading.stored?.projectId ?? null).pipe(
        Effect.flatMap((found) => orFail(judgeEvaluator(reading, found)))
      )

    return Evaluators.of({
      find,
      create: useCase("evaluators.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const spec = yield* judged(permit, readEvaluator(null, input))
            return yield* store.insert(permit, spec, yield* DateTime.now)
          })
        )
      ),
      list: useCase("evaluators.list")((permit, query) =>
        Effect.gen(function* () {
          const asked = yield* decodeInput(EvaluatorQuery, query)
          const page = yield* Pages.decodeRequest(query)
          const question = {
            projectId: asked.project ?? null,
            agentId: asked.agent ?? null,
            folderPath: asked.folder_path ?? null,
            tag: asked.tag ?? null,
            text: asked.search ?? null
          }
          return Pages.pageOf(page, yield* store.list(permit, question, page), ({ id }) => id)
        })
      ),
      read: useCase("evaluators.read")(find),
      update: useCase("evaluators.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const evaluator = yield* within(permit, store.hold(permit, id))
            const spec = yield* judged(permit, readEvaluator(specOf(evaluator), input))
            yield* store.save(permit, id, spec, yield* DateTime.now)
            return yield* find(permit, id)
          })
        )
      ),
      delete: useCase("evaluators.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* within(permit, store.hold(permit, id))
            yield* store.remove(permit, id, yield* DateTime.now)
          })
        )
      ),
      bulkUpdate: useCase("evaluators.bulkUpdate")((permit, input, query = {}) =>
        work.atomically(
          Effect.gen(function* () {
            const { many } = yield* decodeInput(BulkUpdateQuery, query)
            const reading = readBulkUpdate(input)
            const targets = yield* store.holdAll(permit, reading.request.scenarios)
            const found = yield* lookUp(permit, bulkReferenceNames(reading.request), null)
            const plan = yield* orFail(planBulkUpdate(reading, found, targets))
            yield* store.apply(permit, plan, yield* DateTime.now)
            // Asked when the change is made, since it may change the size of the answer; what is refused is undone.
            if (many && (yield* store.sizeOf(permit, plan.evaluators)) > MAX_ANSWER) {
              return yield* new ValidationFailed({ faults: fault("many", TOO_MANY) })
            }
            return yield* store.findAll(permit, many ? plan.evaluators : plan.evaluators.slice(0, 1))
          })
        )
      )
    })
  })
)

/** The most characters of text that an answer with many evaluators may hold: beyond it, one would fill the memory. */
const MAX_ANSWER = 32_000_000

const TOO_MANY = `The answer would hold more than ${MAX_ANSWER} characters: name fewer evaluators, or leave this out.`

const readPhoneNumberId = Schema.decodeUnknownOption(Fields.id(PhoneNumberId))

const orFail = <A>(judgement: Either.Either<A, Faults>): Either.Either<A, ValidationFailed> =>
  Either.mapLeft(judgement, (faults) => new ValidationFailed({ faults }))

/** What is not there, for callers that tell of it together with other faults. */
const orNone = <A>(found: Effect.Effect<A, NotFound | StorageFault>): Effect.Effect<A | null, StorageFault> =>
  Effect.catchTag(found, "NotFound", () => Effect.succeed(null))

const byId = <Id extends number, A extends Found<Id>>(all: ReadonlyArray<A>): ReadonlyMap<Id, A> =>
  new Map(all.map((one) => [one.id, one]))
