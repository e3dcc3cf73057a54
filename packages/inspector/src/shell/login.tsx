import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ApiError, getMessage } from '../api/api-error.ts'
import { send } from '../api/send.ts'
import { Problem } from '../components/status.tsx'
import { logIn, loginReason } from '../state/session.ts'

/** The same drawing as `icon.svg`. As an image, it would be a document of its own, which delays the first view. */
export const Brand = () => (
  <div class="brand">
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="#2b5bd7" />
      <path
        d="M4.5 9.5h6M13.5 9.5h6M4.5 14.5h2.5M10 14.5h9.5"
        stroke="#fff"
        stroke-width="2.4"
        stroke-linecap="round"
        fill="none"
      />
    </svg>
    <span>wabakit</span>
  </div>
)

/** Asks for the control token. A form that was open stays open behind it, with what was typed. */
export const Login = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const problem = useSignal('')
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const sent = String(new FormData(form).get('token') ?? '').trim()
    try {
      await send(['organizations'], { query: { limit: 1 }, headers: { authorization: `Bearer ${sent}` } })
      logIn(sent)
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 401
      problem.value = isRefused ? "This is not the server's control token." : getMessage(error)
    }
  }
  return (
    <dialog
      ref={dialog}
      class="login"
      aria-label="Log in"
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.preventDefault()
      }}
    >
      <main>
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault()
            void submit(event.currentTarget)
          }}
        >
          <Brand />
          <h1>Log in</h1>
          <p>{loginReason.value}</p>
          <label>
            Control token
            <input name="token" type="password" autocomplete="off" required autofocus />
          </label>
          <p class="quiet">
            The value of the server's <code>controlToken</code>. This page forgets it when you close the tab.
          </p>
          <Problem text={problem.value} />
          <button type="submit" class="button primary">
            Log in
          </button>
        </form>
      </main>
    </dialog>
  )
}
