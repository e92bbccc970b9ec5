import * as fc from "fast-check"
import { checkCommandSequences, type ModelOptions } from "../models/CommandSequences.js"
import type { Coverage } from "../models/Coverage.js"
import {
  ACTIONS,
  anyPath,
  type Command,
  command,
  type EvaluatorFixture,
  isThere,
  kinds,
  Model,
  optionally,
  type Place,
  place,
  some
} from "./EvaluatorModelState.js"
import { makingFolder, movingFolder, removingFolder } from "./FolderCommands.js"
import { anyBulk, bulk } from "./BulkUpdateCommands.js"

const creating = (structured: boolean, where: Place): Command =>
  command(`create ${structured ? "structured" : "plain"} in ${where}`, (model, { agent, driver }) => {
    const folder = model.path(where)
    return {
      ask: driver.create({
        agent,
        name: "a'; drop table evaluators; --",
        scenario_type: structured ? "conditional_actions" : "instruction",
        ...(structured ? { conditional_actions: ACTIONS } : { instructions: "Hi" }),
        folder_path: folder
      }),
      rejected: isThere(model, folder) ? [] : ["folder_path"],
      kinds: [
        ["evaluator created", ...(folder === "" ? [] : ["evaluator created in a folder" as const])],
        ["creation refused"]
      ],
      then: (id) => {
        model.evaluators.set(id, {
          id,
          structured,
          instructions: structured ? JSON.stringify(ACTIONS) : "Hi",
          metrics: new Set(),
          tools: new Set(),
          folder,
          firstMessage: "",
          maxDuration: null
        })
      }
    }
  })

const patching = (which: number, where: Place | undefined, metrics: ReadonlyArray<number> | undefined): Command =>
  command(`patch ${which} to ${where} with ${JSON.stringify(metrics)}`, (model, fixture) => {
    const held = model.at(which)
    if (held === undefined) return undefined
    const folder = where === undefined ? undefined : model.path(where)
    const ids = metrics?.map((at) => fixture.metrics[at] ?? 0)
    return {
      ask: fixture.driver.patch(held.id, {
        ...(folder === undefined ? {} : { folder_path: folder }),
        ...(ids === undefined ? {} : { metrics: ids })
      }),
      rejected: folder === undefined || isThere(model, folder) ? [] : ["folder_path"],
      kinds: [
        [
          "evaluator patched",
          ...(folder === undefined || folder === held.folder ? [] : ["evaluator moved by a patch" as const]),
          ...(ids === undefined ? [] : ["metrics of an evaluator replaced" as const])
        ],
        ["patch refused"]
      ],
      then: () => {
        held.folder = folder ?? held.folder
        held.metrics = new Set(ids ?? held.metrics)
      }
    }
  })

const removing = (which: number): Command =>
  command(`remove ${which}`, (model, { driver }) => {
    const held = model.at(which)
    return held === undefined
      ? undefined
      : {
          ask: driver.remove(held.id),
          rejected: [],
          kinds: [["evaluator removed"], []],
          then: () => model.evaluators.delete(held.id)
        }
  })

/** Run before every sequence: folders, evaluators, and a bulk update of every field. */
const setUpCommands: ReadonlyArray<Command> = [
  makingFolder("a"),
  makingFolder("a.b"),
  makingFolder("b"),
  creating(false, ""),
  creating(false, "a"),
  creating(true, "a.b"),
  bulk({
    which: [0, 1],
    stranger: false,
    addMetrics: [0, 1],
    removeMetrics: [],
    addTools: [0, 1],
    removeTools: [],
    mayOverlap: false,
    append: "!",
    mayAppend: false,
    folder: "b",
    firstMessage: "Hello",
    maxDuration: 60,
    asAgent: true
  })
]

const commands: ReadonlyArray<fc.Arbitrary<Command>> = [
  ...Array.from({ length: 2 }, () =>
    fc.tuple(fc.boolean(), place).map(([structured, where]) => creating(structured, where))
  ),
  ...Array.from({ length: 5 }, () => anyBulk.map(bulk)),
  fc
    .tuple(fc.nat(), optionally(place), optionally(some))
    .map(([which, where, metrics]) => patching(which, where, metrics)),
  fc.nat().map(removing),
  ...Array.from({ length: 2 }, () => anyPath.map(makingFolder)),
  fc.tuple(fc.nat(), place).map(([which, to]) => movingFolder(which, to)),
  fc.nat().map(removingFolder)
]

/**
 * Fails when a driver differs from the model after some sequence of commands, each on a fixture of its own. Returns the
 * coverage of all sequences.
 */
export const checkEvaluatorModel = (
  fixture: () => Promise<EvaluatorFixture>,
  options: ModelOptions
): Promise<Coverage> =>
  checkCommandSequences({
    name: "evaluators and folders match the model",
    kinds,
    model: (coverage) => new Model(coverage),
    fixture,
    setUpCommands,
    commands,
    options
  })
