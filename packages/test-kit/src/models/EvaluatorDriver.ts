import { at, isObject, listAt } from "../Documents.js"
import type {
  EvaluatorResponse,
  EvaluatorDriver,
  EvaluatorFixture,
  SeenEvaluator
} from "../evaluators/EvaluatorModelState.js"
import type { DriverResponse, Driver } from "./Drivers.js"

const SUBJECTS = "/test_framework/v1/"

const numbers = (value: unknown): ReadonlyArray<number> => (Array.isArray(value) ? value.map(Number) : [])

const answerOf = ({ body, errors, outcome }: DriverResponse): EvaluatorResponse => {
  if (outcome === "missing") throw new Error("An existing resource was not found")
  const id = at(body, "id")
  return { id: typeof id === "number" ? id : null, errors }
}

const seenOf = (one: unknown): SeenEvaluator => ({
  id: Number(at(one, "id")),
  instructions: String(at(one, "instructions")),
  metrics: numbers(at(one, "metrics")),
  tool_ids: numbers(at(one, "tool_ids")),
  folder_path: String(at(one, "folder_path")),
  first_message: String(at(one, "first_message")),
  max_duration: at(one, "max_duration") === null ? null : Number(at(one, "max_duration")),
  personality: at(one, "personality") === null ? null : Number(at(one, "personality"))
})

/** The number of each kind of attachments. */
const ATTACHABLE = 5

/** The fixture of the evaluator model, created through a driver: metrics, tools and personalities to attach, no evaluators. */
export const evaluatorFixture = async (
  ask: Driver,
  { agent, project }: { readonly project: number; readonly agent: number }
): Promise<EvaluatorFixture> => {
  const results = async (subject: string): Promise<ReadonlyArray<unknown>> =>
    listAt((await ask("GET", `${SUBJECTS}${subject}/?project=${project}&limit=200`)).body, "results")
  const driver: EvaluatorDriver = {
    create: async (input) => answerOf(await ask("POST", `${SUBJECTS}scenarios/`, input)),
    patch: async (id, input) => answerOf(await ask("PATCH", `${SUBJECTS}scenarios/${id}/`, input)),
    remove: async (id) => answerOf(await ask("DELETE", `${SUBJECTS}scenarios/${id}/`)),
    bulkUpdate: async (input, many = false) => {
      const answered = await ask("POST", `${SUBJECTS}scenarios/adv_update/${many ? "?many=true" : ""}`, input)
      const { body } = answered
      const evaluators: ReadonlyArray<unknown> = many && Array.isArray(body) ? body : isObject(body) ? [body] : []
      return { ...answerOf(answered), evaluators: evaluators.map(seenOf) }
    },
    createFolder: async (input) => answerOf(await ask("POST", `${SUBJECTS}folders/`, input)),
    moveFolder: async (id, input) => answerOf(await ask("PATCH", `${SUBJECTS}folders/${id}/`, input)),
    removeFolder: async (id) => answerOf(await ask("DELETE", `${SUBJECTS}folders/${id}/`)),
    all: async () => (await results("scenarios")).map(seenOf),
    folders: async () => (await results("folders")).map((one) => String(at(one, "path")))
  }
  const make = async (subject: string, fields: object): Promise<ReadonlyArray<number>> => {
    const ids: Array<number> = []
    for (let n = 0; n < ATTACHABLE; n++) {
      const { body } = await ask("POST", `${SUBJECTS}${subject}/`, { ...fields, name: `${subject} ${n}` })
      ids.push(Number(at(body, "id")))
    }
    return ids
  }
  const personalities = await make("personalities", { project, language: "en" })
  await ask("POST", `/user/v1/projects/${project}/enable_personalities/`, { personalities })
  return {
    driver,
    project,
    agent,
    personalities,
    metrics: await make("metrics", { agent, type: "llm_judge", eval_type: "binary", prompt: "Is it good?" }),
    tools: await make("tools", { project })
  }
}
