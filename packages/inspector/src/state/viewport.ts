import { signal } from '@preact/signals'

const phone = matchMedia('(max-width: 760px)')

/** Whether the page is as narrow as on a phone. The style sheets repeat this width. */
export const isPhone = signal(phone.matches)

phone.addEventListener('change', () => {
  isPhone.value = phone.matches
})
