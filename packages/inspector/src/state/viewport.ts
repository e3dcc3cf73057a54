import { type ReadonlySignal, signal } from '@preact/signals'

/** Creates a signal that is set while the page is at most this wide. */
const followWidth = (pixels: number): ReadonlySignal<boolean> => {
  const query = matchMedia(`(max-width: ${pixels}px)`)
  const isMatch = signal(query.matches)
  query.addEventListener('change', () => {
    isMatch.value = query.matches
  })
  return isMatch
}

/** Set on phones. The style sheets contain the same width. */
export const isPhone = followWidth(760)

/** Set if the page is too narrow to show two records side by side. */
export const isCompact = followWidth(1180)

/** Set on tablets and phones, which are too narrow for all columns of a list. */
export const isTablet = followWidth(1040)
