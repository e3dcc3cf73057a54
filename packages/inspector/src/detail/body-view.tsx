import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { showBody } from '../format/mask.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { formatJson, JsonView } from '../parts/json-view.tsx'

export const BodyView = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const isRaw = useSignal(false)
  const isJson = useMemo(() => formatJson(text) !== undefined, [text])
  return (
    <section class="payload" aria-label={label}>
      <header>
        <h4>{label}</h4>
        {isJson && (
          <button
            type="button"
            class="link"
            aria-pressed={isRaw.value}
            onClick={() => {
              isRaw.value = !isRaw.value
            }}
          >
            {isRaw.value ? 'Formatted' : 'Raw'}
          </button>
        )}
        <CopyButton text={showBody(text)} label={`Copy the ${label.toLowerCase()}`} />
      </header>
      <JsonView text={text} isRaw={isRaw.value} />
    </section>
  )
}
