import { useMutation } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { signIn } from "../api/session.js"
import { EarshotError } from "../api/client.js"
import { messageOf } from "../components/Feedback.js"
import { Logo } from "../components/Icon.js"
import { SignInForm } from "../components/SignInForm.js"

/** The token of a sign-in link, which is in the fragment; it is removed from the address and the history. */
const takeLink = (): string | undefined => {
  const token = new URLSearchParams(location.hash.slice(1)).get("link") ?? undefined
  if (token !== undefined) history.replaceState(history.state, "", location.pathname + location.search)
  return token
}

export const Login = () => {
  const { next } = useSearch({ from: "/login" })
  const navigate = useNavigate()
  const [link] = useState(takeLink)
  const done = () => {
    void navigate({ href: next ?? "/calls", replace: true })
  }
  const attempt = useMutation({
    mutationKey: ["session"],
    mutationFn: (token: string) => signIn({ link: token }),
    onSuccess: done
  })
  const { mutate } = attempt
  useEffect(() => {
    if (link !== undefined) mutate(link)
  }, [link, mutate])
  const { error } = attempt
  return (
    <main className="sign-in">
      <div className="brand">
        <Logo />
        <span>Earshot</span>
      </div>
      <div className="card">
        <h1>Sign in</h1>
        {attempt.isPending ? <p role="status">Signing in with the link…</p> : null}
        {error === null ? null : (
          <div className="notice warn" role="alert">
            {error instanceof EarshotError && error.status === 401
              ? "This sign-in link is invalid, expired or already used. Run earshot sign-in for another, or paste an API key."
              : messageOf(error)}
          </div>
        )}
        <SignInForm onDone={done} />
        <p className="muted">
          Or open a sign-in link: the server prints one when it starts, and{" "}
          <code className="mono">earshot sign-in</code> prints another.
        </p>
      </div>
    </main>
  )
}
