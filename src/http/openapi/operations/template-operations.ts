import { CREATE_TEMPLATE_OF_OPERATOR, UPDATE_TEMPLATE_OF_OPERATOR } from "../../manage/template-schema.ts";
import * as answers from "../../answers/template.ts";
import type { Described } from "../description.ts";
import { flag } from "./parameters.ts";

const UPDATE = {
  tag: "templates",
  summary: "Change a template",
  description:
    "What is not named stays; null puts the default back, but for `name` and `imageName`, which have none.",
  body: {
    schema: UPDATE_TEMPLATE_OF_OPERATOR.meta({
      id: "TemplateChanges",
      description: "What is to change of a template.",
    }),
    example: { imageName: "registry.example.com/team/hello:1.3", env: { MODEL: "large" } },
    isRequired: false,
  },
  answers: { 200: { description: "The template.", json: answers.TEMPLATE } },
  errors: ["NAME_TAKEN", "CHANGED_MEANWHILE", "LIMIT_REACHED", "STORAGE_FULL"],
} as const;

/** Operations on templates (spec 4.B). */
export const TEMPLATE_OPERATIONS = {
  "/v1/templates": {
    GET: {
      id: "listTemplates",
      tag: "templates",
      summary: "List templates",
      description: "The account's own, then of the public ones of others those that the query asks for.",
      query: {
        includePublicTemplates: flag("Also those that other accounts have made public."),
        includeRunpodTemplates: flag("Also those that the operator has made public: `isPlatform`."),
        includeEndpointBoundTemplates: flag("Also those of others that endpoints of the account are on."),
      },
      answers: { 200: { description: "The templates.", json: answers.TEMPLATES } },
    },
    POST: {
      id: "createTemplate",
      tag: "templates",
      summary: "Create a template",
      description:
        "What is not named, or null, has its default; unknown members are ignored, and so is `isPlatform` " +
        "from any key but one with the scope admin.",
      body: {
        schema: CREATE_TEMPLATE_OF_OPERATOR.meta({
          id: "TemplateCreation",
          description: "What is said of a new template.",
        }),
        example: {
          name: "hello",
          imageName: "registry.example.com/team/hello:1.2",
          dockerStartCmd: ["python", "handler.py"],
          env: { MODEL: "small" },
          ports: ["8888/http"],
          isServerless: true,
        },
        isRequired: true,
      },
      answers: { 200: { description: "The template.", json: answers.TEMPLATE } },
      errors: ["NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
    },
  },
  "/v1/templates/{template}": {
    GET: {
      id: "readTemplate",
      tag: "templates",
      summary: "Read a template",
      answers: { 200: { description: "The template.", json: answers.TEMPLATE } },
    },
    PATCH: { id: "patchTemplate", ...UPDATE },
    DELETE: {
      id: "deleteTemplate",
      tag: "templates",
      summary: "Delete a template",
      description: "One that an endpoint is on, whoever's, is refused with `IN_USE`.",
      answers: { 204: { description: "It is gone." } },
      errors: ["IN_USE"],
    },
  },
  "/v1/templates/{template}/update": { POST: { id: "updateTemplate", ...UPDATE } },
} as const satisfies Partial<Described>;
