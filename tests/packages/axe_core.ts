export { default } from "npm:axe-core@4.10.3";
