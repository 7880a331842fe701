import { suiteDatabases } from "../../support/suite-postgres.ts";
import { DELIVERY_SITUATIONS } from "./delivery-situations.ts";
import { JOB_SITUATIONS } from "./job-situations.ts";
import { ordersOf } from "./orders-of.ts";
import { RECORD_SITUATIONS } from "./record-situations.ts";

ordersOf([...JOB_SITUATIONS, ...DELIVERY_SITUATIONS, ...RECORD_SITUATIONS], suiteDatabases());
