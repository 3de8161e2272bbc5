// The things that come into a repair shop. In identifiers # stands for a digit and @ for a letter.
import type { Random } from '../build/random.ts'

/** Numbers that begin with 00 are set aside for test phones: none of them belongs to anybody. */
const imei = '0044###########'

const catalogue = {
  fairphone: ['Phone', 'Fairphone', '5', imei],
  iphone: ['Phone', 'Apple', 'iPhone 15', imei],
  galaxy: ['Phone', 'Samsung', 'Galaxy S24', imei],
  pixel: ['Phone', 'Google', 'Pixel 8a', imei],
  ipad: ['Tablet', 'Apple', 'iPad Air 11"', 'DMP@#@####@#'],
  thinkpad: ['Laptop', 'Lenovo', 'ThinkPad T14 Gen 5', 'PF-@@####@'],
  macbook: ['Laptop', 'Apple', 'MacBook Air 13" M3', 'C02@#####@@@'],
  framework: ['Laptop', 'Framework', 'Laptop 13', 'FRAN@@####@@'],
  imac: ['Desktop', 'Apple', 'iMac 24"', 'C02@#####@@@'],
  printer: ['Printer', 'Brother', 'HL-L2400DW', 'E8####@#@######'],
  till: ['Till', 'Star Micronics', 'mPOP', '2530###########'],
  console: ['Games console', 'Nintendo', 'Switch OLED', 'XTE1########'],
  camera: ['Camera', 'Fujifilm', 'X-T5', '3A#####'],
  brompton: ['Bicycle', 'Brompton', 'C Line Explore', 'BR##########'],
  ebike: ['E-bike', 'Tern', 'GSD S10', 'TN#@######'],
  wheelchair: ['Wheelchair', 'Invacare', 'Action 3NG', '##@@######'],
  boiler: ['Boiler', 'Worcester Bosch', 'Greenstar 4000', '7736-###-######'],
  oldBoiler: ['Boiler', 'Vaillant', 'ecoTEC plus 832', '21#######001002####N#'],
  heatPump: ['Heat pump', 'Mitsubishi Electric', 'Ecodan 8.5 kW', 'EC########'],
  espresso: ['Coffee machine', 'La Marzocco', 'Linea Mini', 'LM######'],
  barista: ['Coffee machine', 'Sage', 'Barista Express', 'BES875-########'],
  dishwasher: ['Dishwasher', 'Bosch', 'Serie 6', 'FD####-#####'],
  washer: ['Washing machine', 'Miele', 'W1 Classic', '000/#########'],
  oven: ['Oven', 'Rational', 'iCombi Pro 6-1/1', 'E61SH########'],
  fridge: ['Fridge', 'Foster', 'EcoPro G3', 'E5######'],
  vacuum: ['Vacuum cleaner', 'Dyson', 'V15 Detect', 'SV22-@@-@@@####@'],
  sewing: ['Sewing machine', 'Bernina', '335', '###########'],
  mower: ['Lawn mower', 'Honda', 'HRX 476', 'MAXF-#######'],
  piano: ['Stage piano', 'Nord', 'Stage 4', '@@#####'],
} as const

export type DeviceKind = keyof typeof catalogue
export const deviceKinds = Object.keys(catalogue) as DeviceKind[]

export function buildDevice(kind: DeviceKind, { below }: Random) {
  const [type, brand, model, pattern] = catalogue[kind]
  const identifier = pattern.replace(/[#@]/g, (mark) =>
    mark === '#' ? String(below(10)) : 'ABCDEFGHJKLMNPRSTUVWXYZ'[below(23)]!,
  )
  return { type, brand, model, identifier }
}
