// SPDX-License-Identifier: GPL-3.0-or-later
// A job type for Flamenco 3: a folder of animations, in as many tasks as you say, then one task that sums them up.
// Put this file into the folder "scripts" beside the Flamenco Manager. docs/cluster.md tells the rest.

const JOB_TYPE = {
    label: "Toehold: Folder of Animations",
    description: "Find contacts or clean feet in all animations of a folder",
    settings: [
        { key: "verb", type: "string", required: true, default: "clean",
          choices: ["clean", "lock", "annotate", "adapt", "report"],
          description: "What to do with each file" },
        { key: "folder", type: "string", subtype: "dir_path", required: true,
          description: "Folder of animations, as all workers see it; sub-folders are done too" },
        { key: "out", type: "string", subtype: "dir_path", required: true,
          description: "Folder for the results and their summary, as all workers see it" },
        { key: "tasks", type: "int32", default: 16, propargs: { min: 1, max: 1000 },
          description: "Tasks that the files are shared out to; a few for each worker" },
        { key: "options", type: "string", default: "",
          description: "More options of the command, separated by spaces" },
        { key: "toehold", type: "string", default: "{blender}", visible: "web",
          description: "Program to run: a Blender with Toehold switched on, or the command toehold" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    // A {variable} is filled in by each worker, so a program of another name is known as Toehold's own command.
    const isBlender = settings.toehold.toLowerCase().includes("blender");
    const before = isBlender ? ["--background", "--command", "toehold"] : [];
    const options = (settings.options || "").split(" ").filter((option) => option !== "");
    const whole = before.concat([settings.verb, settings.folder, "--out", settings.out], options);

    const last = author.Task("summary", "blender");
    const count = Math.max(1, settings.tasks);
    for (let part = 1; part <= count; part++) {
        const task = author.Task(`${settings.verb} ${part} of ${count}`, "blender");
        task.addCommand(author.Command("exec", {
            exe: settings.toehold,
            args: whole.concat(["--share", `${part}/${count}`]),
        }));
        job.addTask(task);
        last.addDependency(task);
    }
    // Passes over what is done, and writes the page and the table.
    last.addCommand(author.Command("exec", { exe: settings.toehold, args: whole }));
    job.addTask(last);
}
