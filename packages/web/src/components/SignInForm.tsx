import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { EarshotError } from "../api/client.js"
import { signIn } from "../api/session.js"
import { messageOf } from "./Feedback.js"
import { fieldMessages } from "../rules/fieldErrors.js"

/** Exchanges a pasted API key for a session. The key is sent once and kept nowhere in the browser. */
export const SignInForm = ({ onDone }: { readonly onDone: () => void }) => {
  const [key, setKey] = useState("")
  const attempt = useMutation({
    mutationKey: ["session"],
    mutationFn: () => signIn({ api_key: key.trim() }),
    onSuccess: onDone
  })
  const { error } = attempt
  const message =
    error === null
      ? undefined
      : error instanceof EarshotError && error.status === 401
        ? "This API key is invalid, expired or revoked."
        : (fieldMessages(error, "api_key") ?? messageOf(error))
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        attempt.mutate()
      }}
    >
      <label className="field">
        <span className="label">API key</span>
        <input
          className="input mono"
          type="password"
          name="api_key"
          autoComplete="off"
          spellCheck={false}
          placeholder="ear_…"
          value={key}
          aria-invalid={message !== undefined}
          aria-describedby={message === undefined ? undefined : "api-key-error"}
          onChange={(event) => {
            setKey(event.target.value)
          }}
        />
      </label>
      {message === undefined ? null : (
        <p id="api-key-error" className="field-error" role="alert">
          {message}
        </p>
      )}
      <button type="submit" className="button primary" disabled={attempt.isPending || key.trim() === ""}>
        {attempt.isPending ? "Signing in…" : "Sign in"}
      </button>
    </form>
  )
}
