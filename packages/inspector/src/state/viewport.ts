import { type ReadonlySignal, signal } from '@preact/signals'

/** Tracks whether the page is at most this wide. */
const followWidth = (pixels: number): ReadonlySignal<boolean> => {
  const query = matchMedia(`(max-width: ${pixels}px)`)
  const isMatch = signal(query.matches)
  query.addEventListener('change', () => {
    isMatch.value = query.matches
  })
  return isMatch
}

/** Set if the page is as narrow as a phone. The style sheets repeat this width. */
export const isPhone = followWidth(760)

/** Set if the page is too narrow for all columns of a list. */
export const isTablet = followWidth(1040)
