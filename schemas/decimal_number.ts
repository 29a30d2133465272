/** Numbers in texts, by the one rule of readers and page. The page can import nothing outside `static`. */
export { type ReadNumber, readNumber } from "../static/measure/decimal_number.ts";
