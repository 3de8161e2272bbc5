// The icons of the desk: paths of 24 × 24 pixels, drawn with a line by the style sheet.
import { type Html, html } from '../http/html.ts'

const paths = {
  today:
    'M12 4V2M12 22v-2M4 12H2M22 12h-2M6 6 4.6 4.6M19.4 19.4 18 18M18 6l1.4-1.4M4.6 19.4 6 18M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8',
  board: 'M4 4h4.5v16H4zM10 4h4.5v10H10zM16 4h4v13h-4z',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  customers:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.2M18 14.4a6.5 6.5 0 0 1 3.5 5.6',
  quotes: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  invoices: 'M5 3h14v18l-2.5-1.7L14 21l-2-1.7L10 21l-2.5-1.7L5 21zM9 8h6M9 12h6',
  stock: 'M3 8l9-5 9 5v8l-9 5-9-5zM3 8l9 5 9-5M12 13v8',
  services:
    'M14 6a4 4 0 0 1 5.2-3.8L16.5 5v2.5H19l2.8-2.7A4 4 0 0 1 16 9.6L7 18.6a2 2 0 0 1-2.8-2.8l9-9A4 4 0 0 1 14 6',
  reports: 'M4 20V4M4 20h16M8 20v-6M12.5 20V9M17 20V6',
  books: 'M6 3h13v18H7a2 2 0 0 1-2-2V4a1 1 0 0 1 1-1M5 19a2 2 0 0 1 2-2h12M9 7h6',
  settings:
    'M4 7h10M18 7h2M4 17h2M10 17h10M16 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M8 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13M20 20l-4.8-4.8',
  more: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  cross: 'M6 6l12 12M18 6 6 18',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  warning: 'M12 3 2.5 20h19zM12 10v4M12 17v.2',
  print: 'M7 9V3h10v6M7 17H4v-7h16v7h-3M7 14h10v7H7z',
  form: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h3',
  repeat: 'M4 11a8 8 0 0 1 14-4.5L20 9M20 4v5h-5M20 13a8 8 0 0 1-14 4.5L4 15M4 20v-5h5',
  phone: 'M6 3h3l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v3a3 3 0 0 1-3 3C10 21 3 14 3 6a3 3 0 0 1 3-3',
  map: 'M12 21s7-6.3 7-11.5a7 7 0 1 0-14 0C5 14.7 12 21 12 21M12 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5',
  developers: 'M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16',
  check: 'M5 13l4 4L19 7',
  leave: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21a8 8 0 0 1 16 0',
} as const
export type Icon = keyof typeof paths

/** Beside words that say the same. */
export const icon = (name: Icon): Html =>
  html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="${paths[name]}"/></svg>`
