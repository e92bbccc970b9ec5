/**
 * A token classification model with a tokenizer of a few words: each token's classes stand in a table. Written in ONNX's
 * protobuf (onnx.proto of ONNX 1.16) by hand.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const varint = (value: number): Array<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))]
const number = (field: number, value: number): Array<number> => [...varint(field * 8), ...varint(value)]
const bytes = (field: number, value: ArrayLike<number>): Array<number> => [
  ...varint(field * 8 + 2),
  ...varint(value.length),
  ...Array.from(value)
]
const text = (field: number, value: string): Array<number> => bytes(field, Buffer.from(value))

const FLOAT = 1
const INT64 = 7

const valueInfo = (name: string, type: number, dimensions: ReadonlyArray<string | number>): Array<number> => [
  ...text(1, name),
  ...bytes(
    2,
    bytes(1, [
      ...number(1, type),
      ...bytes(
        2,
        dimensions.flatMap((one) => bytes(1, typeof one === "string" ? text(2, one) : number(1, one)))
      )
    ])
  )
]

/** The weights: `logits = Gather(table, input_ids)`. */
const onnx = (table: ReadonlyArray<ReadonlyArray<number>>, inputs: ReadonlyArray<string>): Uint8Array => {
  const classes = table[0]?.length ?? 0
  const raw = new Uint8Array(Float32Array.from(table.flat()).buffer)
  const node = [...text(1, "table"), ...text(1, "input_ids"), ...text(2, "logits"), ...text(4, "Gather")]
  const tensor = [
    ...number(1, table.length),
    ...number(1, classes),
    ...number(2, FLOAT),
    ...text(8, "table"),
    ...bytes(9, raw)
  ]
  const graph = [
    ...bytes(1, node),
    ...text(2, "tiny"),
    ...bytes(5, tensor),
    ...inputs.flatMap((name) => bytes(11, valueInfo(name, INT64, ["batch", "tokens"]))),
    ...bytes(12, valueInfo("logits", FLOAT, ["batch", "tokens", classes]))
  ]
  return Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, [...text(1, ""), ...number(2, 13)])])
}

export interface TokenModel {
  /** The class of each token; others have the first one. */
  readonly tokens: Readonly<Record<string, number>>
  /** Names of the classes. */
  readonly labels: ReadonlyArray<string>
  /** Default: those of BERT. */
  readonly inputs?: ReadonlyArray<string>
  /** Classes of the weights, if they differ from the names. */
  readonly classes?: number
}

/** Writes a model's folder as Hugging Face's exporter does. */
export const writeTokenModel = (folder: string, { classes, inputs, labels, tokens }: TokenModel): void => {
  const words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ...Object.keys(tokens)]
  const width = classes ?? labels.length
  const table = words.map((word) => Array.from({ length: width }, (_, id) => (id === (tokens[word] ?? 0) ? 4 : 0)))
  const special = (content: string, id: number) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true
  })
  mkdirSync(path.join(folder, "onnx"), { recursive: true })
  writeFileSync(
    path.join(folder, "onnx", "model.onnx"),
    onnx(table, inputs ?? ["input_ids", "attention_mask", "token_type_ids"])
  )
  writeFileSync(
    path.join(folder, "config.json"),
    JSON.stringify({
      max_position_embeddings: 24,
      id2label: Object.fromEntries(labels.map((label, id) => [id, label]))
    })
  )
  writeFileSync(
    path.join(folder, "tokenizer.json"),
    JSON.stringify({
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(special),
      normalizer: {
        type: "BertNormalizer",
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: {
        type: "TemplateProcessing",
        single: [
          { SpecialToken: { id: "[CLS]", type_id: 0 } },
          { Sequence: { id: "A", type_id: 0 } },
          { SpecialToken: { id: "[SEP]", type_id: 0 } }
        ],
        pair: [],
        special_tokens: {
          "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
          "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] }
        }
      },
      decoder: { type: "WordPiece", prefix: "##", cleanup: true },
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(words.map((word, id) => [word, id]))
      }
    })
  )
}
