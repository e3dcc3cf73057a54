const paths = {
  overview: 'M2.5 13.5v-5M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11',
  customers: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.5 13.8c.4-2.6 2.7-4 5.5-4s5.1 1.4 5.5 4',
  deliveries: 'M2.5 4.5h7M2.5 8h4M2.5 11.5h7M12 5.5 14 8l-2 2.5M9.5 8H14',
  events: 'M8.8 1.8 3.5 9H8l-.8 5.2L12.5 7H8z',
  calls:
    'M3 2.8h2.6l1.1 3-1.5 1.1a8 8 0 0 0 3.9 3.9l1.1-1.5 3 1.1V13c0 .6-.4 1-1 1A10.2 10.2 0 0 1 2 3.8c0-.6.4-1 1-1z',
  groups:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13.2c.3-2.3 2-3.6 4.2-3.6s3.9 1.3 4.2 3.6M10.5 3.2a2.2 2.2 0 0 1 0 4.1M11.8 9.9c1.4.5 2.3 1.7 2.5 3.3',
  subscriptions:
    'M8 3.2a1.5 1.5 0 1 0 0-.01M3.7 12.7a1.5 1.5 0 1 0 0-.01M12.3 12.7a1.5 1.5 0 1 0 0-.01M7.2 4.5 4.4 10M8.8 4.5 11.6 10M5.3 11.5h5.4',
  requests: 'M5.5 4 1.8 8l3.7 4M10.5 4l3.7 4-3.7 4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 14 14',
  close: 'm4 4 8 8M12 4l-8 8',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  down: 'm4 6 4 4 4-4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  resend: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v2.7h-2.7',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  hidden: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM2.5 13.5l11-11',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.2v1.3M8 13.5v1.3M1.2 8h1.3M13.5 8h1.3M3.2 3.2l.9.9M11.9 11.9l.9.9M3.2 12.8l.9-.9M11.9 4.1l.9-.9',
  moon: 'M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7z',
  system: 'M2 3h12v8H2zM5.5 13.5h5M8 11v2.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.3v9.4L12.5 8z',
  add: 'M8 3v10M3 8h10',
  remove: 'M3 8h10',
  edit: 'M11 2.5 13.5 5 5.5 13H3v-2.5zM9.5 4 12 6.5',
  'api-keys': 'M10.5 9a3.5 3.5 0 1 0-3.3-2.3L2 12v2h2.5v-1.5H6V11h1.5l1.3-1.3c.5.2 1.1.3 1.7.3zM11.5 5.5h.01',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6',
  external: 'M9 2.5h4.5V7M13.5 2.5 7.5 8.5M6 3.5H2.5v10h10V10',
  check: 'm3 8.5 3.2 3.2L13 5',
  warning: 'M8 2 1.5 13.5h13zM8 6.5v3M8 11.5h.01',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  logout: 'M6 2.5H2.5v11H6M10 5l3 3-3 3M13 8H6',
} as const

export type IconName = keyof typeof paths

/** An icon of 16 pixels that screen readers ignore. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
