import { command, list, text, textArgument, toggle } from "./Declare.js"
import { json } from "./Shared.js"

export const redact = command("redact", {
  description: "Show what redaction removes from a transcript, and why. Nothing is stored.",
  options: {
    json,
    fields: list("--field <fields>", "Fields to redact, such as phone_number,ssn. (default: all fields)"),
    type: text("--type <type>", "transcript_type of a JSON transcript that does not state it. (default: service)"),
    everyday: toggle(
      "--everyday",
      "Also redact weekdays, relative days, durations, meetings and places such as 'home'."
    ),
    model: text(
      "--model <folder>",
      "Token classification model in ONNX: config.json, tokenizer.json and model.onnx. Requires onnxruntime-node."
    ),
    lexicon: text("--lexicon <file>", 'JSON file with values to find by field: {"person_name": ["Ravi Dubey"]}.'),
    analyzer: text(
      "--analyzer <url>",
      "Named-entity server with the interface of Presidio's analyzer, such as http://127.0.0.1:5002."
    ),
    explain: toggle("--explain", "Print the counts by field, place and recognizer, without a value."),
    numbered: toggle("--numbered", "Number the labels ([PHONE_NUMBER_1]); equal values get the same number.")
  },
  args: {
    file: textArgument(
      "file",
      "Text with one utterance per line ('Agent: ...', 'Caller: ...'), a transcript as JSON, or a call as JSON. - reads stdin."
    )
  },
  action: async () => (await import("../actions/Redact.js")).redact
})
